// What is said on stderr when a run has ended: what went wrong, what was lost, how to go on, and one line for the status.

import { isDeepStrictEqual } from "node:util";
import { answerRulesText, COMMAND_LINE, REUSED_BEHIND_RETRY } from "../../../base/results/index.ts";
import type { Entry, Result } from "../../../base/results/result.ts";
import { showFindings } from "../show-findings.ts";
import { plain } from "../text/harmless.ts";
import { itemName } from "../text/phrases.ts";
import { hang, optionLine, questionLine } from "../text/width.ts";
import { type BlockView, errorBlock } from "./error-block.ts";
import { statusLine } from "./status-line.ts";

/** Errors shown in full; the rest is counted. */
const SHOWN = 5;

interface EndingOptions {
  readonly quiet?: boolean;
  /** Messages that were shown while the run went on: they are not repeated. */
  readonly said?: ReadonlySet<string> | undefined;
}

export function ending(result: Result, view: BlockView, { quiet = false, said }: EndingOptions = {}): string {
  const lines = quiet ? [...whyNothingRan(result), ...loudWarnings(result, view)] : [...middle(result, view, said)];
  const last = statusLine(result, { ...view, isExplained: !quiet && explainedErrors(result).length > 0 });
  return [...lines, last].map((line) => `${line}\n`).join("");
}

/** Whether the report of a run says a message. */
export const reportHas = ({ errors, warnings, termination }: Result, message: string): boolean =>
  termination?.reason === message || [...errors, ...warnings].some((entry) => entry.message === message);

/** Errors that have a block of their own. A `terminate` says its reason in the status line, which its entry would repeat. */
const explainedErrors = ({ status, errors }: Pick<Result, "status" | "errors">): readonly Entry[] =>
  status === "terminated" || status === "cancelled" || status === "invalid" ? [] : errors;

/** "Nothing ran" alone would not say what to do about it. */
const whyNothingRan = ({ status, error }: Result): readonly string[] =>
  status === "invalid" && error !== null ? [plain(error)] : [];

/** What has to be done by hand is said also where nobody asked for warnings. */
const loudWarnings = ({ warnings, termination }: Result, view: BlockView): Iterable<string> =>
  warningLines({ warnings: warnings.filter(({ rule }) => rule === REUSED_BEHIND_RETRY), termination }, view);

function* middle(result: Result, view: BlockView, said?: ReadonlySet<string>): Generator<string> {
  if (result.status === "invalid") {
    const findings = showFindings({ errors: result.errors, warnings: result.warnings, ...view });
    if (findings) yield findings;
    return;
  }
  const errors = explainedErrors(result);
  yield* warningLines(result, view, said);
  if (errors.length > 0) yield "";
  for (const entry of errors.slice(0, SHOWN)) {
    yield* errorBlock(entry, { ...view, shownBelow: result.checkpoint?.resume });
    yield "";
  }
  if (errors.length > SHOWN) yield* [`  and ${errors.length - SHOWN} more errors`, ""];
  const hint = result.status === "terminated" && !result.success ? result.errors[0]?.hint : undefined;
  if (hint !== undefined) yield* [hang(`  ${view.colors.dim("next".padEnd(8))}`, plain(hint), view.terminal), ""];
  const next = [...nextSteps(result, view)];
  if (next.length > 0) yield* [...next, ""];
}

/** Warnings of one group shown one by one: a hundred lost items say no more than ten. */
const SHOWN_ITEMS = 10;

/** `said`: messages that were shown while the run went on. */
export function* warningLines(
  { warnings, termination }: Pick<Result, "warnings" | "termination">,
  { colors, terminal }: BlockView,
  said: ReadonlySet<string> = new Set(),
): Generator<string> {
  const items = warnings.filter(({ item_key }) => item_key !== undefined);
  const hidden = new Set(items.slice(SHOWN_ITEMS));
  for (const entry of warnings) {
    if (hidden.has(entry)) {
      if (entry === items.at(-1)) yield `${colors.yellow("▲")} and ${hidden.size} more items`;
      continue;
    }
    const { message, node_id, kind, recovered_by, path = [], hint } = entry;
    const who = node_id === null ? "" : `${[...path, itemName({ ...entry, node_id })].join("/")}: `;
    // Of an error the hint says what became of it; of anything else what can be done.
    const next = kind === null && hint !== undefined && !message.includes(hint) ? hint : "";
    const isSaid = said.has(message) || termination?.reason.includes(message) === true;
    if (isSaid && kind === null && next === "") continue;
    const what = isSaid ? [kind ?? ""] : [kind ? `${kind}: ${message}` : message];
    const parts = [...what, recovered_by ? `(handled by ${recovered_by})` : "", next].filter((part) => part !== "");
    const words = plain(`${who}${parts.join(" ")}`).replaceAll("\n", " ");
    yield hang(colors.yellow("▲"), words, terminal);
  }
}

/** Gates shown one by one. */
const SHOWN_GATES = 10;

/** What can be done now: answer, resume, read on. */
export function* nextSteps(
  { checkpoint, gate, gates, artifacts, status, degraded, errors, run_id }: Result,
  { colors, reader = COMMAND_LINE }: BlockView,
): Generator<string> {
  const fact = (word: string, text: string) => `  ${colors.dim(word.padEnd(8))} ${text}`;
  const waiting = (gates ?? (gate ? [gate] : [])).filter(({ answered }) => !answered);
  for (const [index, { answer, options, questions = [], approvers, not_by, deadline }] of waiting
    .slice(0, SHOWN_GATES)
    .entries()) {
    const rules = answerRulesText({ approvers, not_by, deadline });
    if (rules !== undefined) yield fact("answer", plain(rules));
    yield fact(rules === undefined ? "answer" : "", answer);
    // The items of a group have the same options: said once, below the last of them.
    const next = waiting.slice(0, SHOWN_GATES)[index + 1];
    if (next && isDeepStrictEqual(next.options, options)) continue;
    for (const option of options) yield fact("", optionLine(option, colors));
    for (const question of questions) yield fact("", questionLine(question, colors));
  }
  if (waiting.length > SHOWN_GATES)
    yield fact("", `and ${waiting.length - SHOWN_GATES} more: ${reader.ask({ to: "list gates" })}`);
  const { resumable, resume } = checkpoint ?? {};
  // A hint may have the same command with an option that it needs here.
  const isSaid = explainedErrors({ status, errors }).some(({ hint }) => resume && hint?.includes(`${resume} --`));
  if (resumable && resume && !isSaid) yield fact("resume", colors.bold(resume));
  if ((status === "degraded" || degraded) && run_id)
    yield fact("again", colors.bold(reader.ask({ to: "run lost items", run: run_id }) ?? ""));
  // Only unhandled errors have a line there: not a halt, not a schema violation of a step that did not opt in.
  if (
    artifacts?.errors_jsonl &&
    status === "failed" &&
    errors.some(({ kind, error_type }) => kind !== null && kind !== "halt.intentional" && error_type === undefined)
  )
    yield fact("errors", artifacts.errors_jsonl);
}
