// `segno errors`: for each step its kinds, and where each is handled; then what leaves the file. The author's kinds have a
// line each, and engine kinds are grouped by where they end up.
import { isEngineKind, isOfAnyStep, whoHandles } from "../../../base/errors/index.ts";
import { type ErrorsAnswer, isFailing, listErrors, whereRaised } from "../../../services/workflows/describe.ts";
import type { Asked } from "../asked.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { answerReported, notesOf, type ReportedCheck } from "../report/reporters/index.ts";
import { writeFindings } from "../show-findings.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";
import { wrap } from "../text/width.ts";
import { UsageError } from "../usage-error.ts";

export function errors(call: Call): number {
  const { asked, output } = call;
  const answer = listErrors(asked.session, {
    file: asked.required(0),
    failOnUnhandled: asked.flag("fail-on-unhandled"),
    allow: allowedKinds(asked),
  });
  return answerReported(
    answer,
    call,
    () => checksOfErrors(answer),
    () => {
      if (answer.workflow === null) writeFindings(answer, call);
      else
        output.stdout.write(
          errorsText(answer, {
            colors: output.outColors,
            width: Math.min(output.stdout.columns ?? 100, 120),
            hasEngineKinds: asked.flag("engine"),
          }),
        );
    },
  );
}

function allowedKinds(asked: Asked): readonly string[] {
  const allow = asked.list("allow").flatMap((words) => words.split(",").map((word) => word.trim()));
  if (allow.length > 0 && !asked.flag("fail-on-unhandled"))
    throw new UsageError("--allow says what --fail-on-unhandled lets pass: give both.");
  return allow;
}

type KindFlow = ErrorsAnswer["steps"][number]["raises"][number];

interface ErrorsView {
  readonly colors: Colors;
  readonly width: number;
  /** Also shows the kinds that any step can raise. */
  readonly hasEngineKinds: boolean;
}

function errorsText({ file, dialect, steps, unhandled, success }: ErrorsAnswer, view: ErrorsView): string {
  const { colors, width, hasEngineKinds } = view;
  const { bold, dim, red, green } = colors;
  const isShown = (one: KindFlow): boolean => hasEngineKinds || !isOfAnyStep(one.kind) || isLetGo(one);
  const blocks = steps
    .map((step) => ({ ...step, raises: step.raises.filter((one) => !isOnlyPassedOn(one) && isShown(one)) }))
    .filter(({ raises }) => raises.length > 0)
    .map(({ node_id, type, group, raises }) => {
      const title = `${bold(plainLineOf(node_id))}  ${dim(group ? `${type}, member of ${group}` : type)}`;
      return [title, ...rows(raises, colors, width)].join("\n");
    });
  const name = plainLineOf(file);
  const listed = unhandled.filter(({ kind }) => hasEngineKinds || !isOfAnyStep(kind));
  const rest = unhandled.length - listed.length;
  const leaving = [
    ...listed.map(
      ({ kind, node_id }) => `  ${red(kind === "*" ? "any undeclared" : kind)}  ${dim(`from ${plainLineOf(node_id)}`)}`,
    ),
    ...(rest > 0 ? [dim(`  ${amount(rest, "kind")} that any step can raise; --engine lists them`)] : []),
  ];
  const failing = success ? [] : unhandled.filter(isFailing);
  const verdict =
    unhandled.length === 0
      ? green(`Nothing leaves ${name} unhandled.`)
      : listed.length === 0
        ? green(`No kind of its own leaves ${name} unhandled.`)
        : `What leaves ${name} unhandled:`;
  const aboutScripts = steps.some(({ type }) => type === "script") ? [dim(SCRIPTS[dialect ?? "steps"])] : [];
  const last = [...aboutScripts, ...(failing.length > 0 ? [failingText(failing, colors)] : [])];
  return `${[...blocks, [verdict, ...leaving].join("\n"), ...last].join("\n\n")}\n`;
}

/** What an exit code of a script means; a file with `agents:` follows Conductor. */
const SCRIPTS = {
  steps:
    "A script raises internal.script_error when it exits with another code than 0 that ok_exit_codes does not list.",
  agents:
    "The file has agents: a script that exits with another code than 0 raises internal.script_error only if its step has raises, raise_when or an error route.",
} as const;

/** What made `--fail-on-unhandled` fail: last, where the end of a build's log shows it. */
function failingText(failing: ErrorsAnswer["unhandled"], { bold, red, dim, cyan }: Colors): string {
  const width = Math.max(...failing.map(({ kind }) => kind.length));
  const from = Math.max(...failing.map(({ node_id }) => plainLineOf(node_id).length));
  const lines = failing.map(
    (one) =>
      `  ${red(one.kind.padEnd(width))}  ${dim("from")} ${plainLineOf(one.node_id).padEnd(from)}  ${cyan(plainLineOf(whereRaised(one)))}`,
  );
  return [bold(`--fail-on-unhandled fails because of ${amount(failing.length, "kind")}:`), ...lines].join("\n");
}

/** Kinds that a group decides about are listed with the group; those that it only passes on, with the members. */
const isOnlyPassedOn = ({ of_members, handled_by, propagated_by, first }: KindFlow): boolean =>
  of_members === true && !handled_by && !propagated_by && !first;

/** Routes try something first (a retry, a condition), and nothing takes the kind in the end. */
const isLetGo = ({ first = [], handled_by, propagated_by }: KindFlow): boolean =>
  first.length > 0 && !handled_by && !propagated_by;

const isAuthors = (kind: string): boolean => kind !== "*" && !isEngineKind(kind);

function rows(raises: readonly KindFlow[], colors: Colors, width: number): string[] {
  const own = raises.filter(({ kind }) => isAuthors(kind));
  const column = Math.min(36, Math.max(14, ...own.map(({ kind }) => kind.length)));
  const lines = own.map((one) => `  ${plain(one.kind).padEnd(column)}  ${destination(one, colors)}`);
  const shared = new Map<string, string[]>();
  for (const one of raises) {
    if (own.includes(one)) continue;
    const where = destination(one, colors);
    if (one.kind === "*") lines.push(`  ${colors.dim("any undeclared".padEnd(column))}  ${where}`);
    else shared.set(where, [...(shared.get(where) ?? []), one.kind]);
  }
  for (const [where, kinds] of shared) {
    lines.push(`  ${colors.dim(amount(kinds.length, "engine kind").padEnd(column))}  ${where}`);
    for (const line of wrap(kinds.join(", "), width - 6)) lines.push(colors.dim(`      ${line}`));
  }
  return lines;
}

function destination(one: KindFlow, { green, red, dim }: Colors): string {
  const { handled_by, propagated_by } = one;
  const words = plain(whoHandles(one));
  const place = ({ line, table }: NonNullable<KindFlow["handled_by"]>): string =>
    dim(`  line ${line}${table === "step" ? "" : `, the ${table}'s`}`);
  if (propagated_by) return `${red(words)}${place(propagated_by)}`;
  return handled_by ? `${green(words)}${place(handled_by)}` : red(words);
}

/** A check for each step that can raise something: what leaves the file unhandled was found. */
function checksOfErrors({ file, steps, unhandled, success, ...answer }: ErrorsAnswer): readonly ReportedCheck[] {
  if (answer.workflow === null) return [{ suite: file, name: file, notes: notesOf(answer.errors, answer.warnings) }];
  // Only `--fail-on-unhandled` makes a failure of what leaves the file.
  const level = success ? "warning" : "error";
  return steps
    .filter(({ raises }) => raises.length > 0)
    .map(({ node_id, raises }) => ({
      suite: file,
      name: node_id,
      notes: unhandled
        .filter((one) => one.node_id === node_id && isFailing(one))
        .map(({ kind, raised_in, location }) => ({
          level,
          rule: "unhandled-error",
          message: leavingText({ kind, node_id, file, who: whoHandles(raises.find((one) => one.kind === kind) ?? {}) }),
          place: raised_in ?? location,
        })),
    }));
}

const leavingText = ({ kind, node_id, file, who }: Record<"kind" | "node_id" | "file" | "who", string>): string =>
  `${kind} of ${node_id} can leave ${file}: ${who}${who.endsWith("unhandled") ? `. Give ${node_id} a route with \`on_error: ${kind}\`, or the workflow one under \`error_routes\`` : ""}.`;
