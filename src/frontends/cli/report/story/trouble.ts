// One trouble for people: what was raised and where, what the process said, the retries, each route with why it was taken
// or not, and how it ended.
import { enumerated } from "../../../../base/errors/nearest.ts";
import type { Raising, RouteRead, Trouble } from "../../../../services/explain/story.ts";
import type { Colors } from "../../output.ts";
import { quoteLine } from "../../show-findings.ts";
import { plain, plainLineOf } from "../../text/harmless.ts";
import { amount, cutList, duration, itemName } from "../../text/phrases.ts";
import { cut, pad, widthOf, wrap } from "../../text/width.ts";
import { detailLines } from "../error-block.ts";

const STDERR_LINES = 20;

/** A line of the block: what it is about, and what is said of it. Lines after the first of a fact have no word. */
const fact = (word: string, text: string, { dim }: Colors): string => `    ${dim(word.padEnd(8))} ${text}`;

export function troubleLines(trouble: Trouble, view: StoryView): readonly string[] {
  const { colors, line: longest } = view;
  const ending = endingText(trouble, view);
  return [
    headLine(trouble, colors),
    ...(trouble.carried
      ? []
      : [
          ...trouble.raised.flatMap((raising) => raisingLines(raising, trouble.raised.length > 1, view)),
          ...placeLines(trouble, view),
        ]),
    ...shellLines(trouble, view),
    ...retryLines(trouble).map((line) => fact("retried", line, colors)),
    ...routeLines(trouble, view),
    ...unreadableLines(trouble, view),
    ...(ending === undefined ? [] : [cut(`    ${colors.dim("↳")} ${ending}`, Math.max(longest, 60))]),
  ];
}

/** Whether it was handled, or the run went on without it. */
export const isOver = ({ ending }: Trouble): boolean =>
  ending.type === "succeeded" || ending.type === "recovered" || (ending.type === "to_group" && ending.went_on);

const nameOf = ({ path, node_id, group, item_key }: Trouble): string =>
  plainLineOf([...path, itemName({ node_id, group, item_key })].join("/"));

function headLine(trouble: Trouble, colors: Colors): string {
  const { raised, carried, alike, times } = trouble;
  const over = isOver(trouble);
  const sign = over ? colors.yellow("▲") : colors.red("✗");
  const kinds = [...new Set(raised.map(({ kind }) => plain(kind)))];
  const shown = enumerated(
    kinds.map((kind) => (over ? colors.yellow(kind) : colors.red(kind))),
    "then",
  );
  const others = alike ? colors.dim(` (and so did ${enumerated(cutList(alike.map(plain), 4))})`) : "";
  const often = times === undefined ? "" : colors.dim(` (${times} times)`);
  return `${sign} ${colors.bold(nameOf(trouble))} ${carried ? "handed on" : "raised"} ${shown}${often}${others}`;
}

/** Said elsewhere in the block, or in the message itself. */
const HIDDEN: ReadonlySet<string> = new Set(["stderr_tail", "command", "exit_code", "signal", "group"]);
const HIDDEN_OF_TEMPLATES: ReadonlySet<string> = new Set(
  "expression missing parent parent_type reason available_fields suggestions line column".split(" "),
);

function raisingLines(
  { message, kind, attempts, details, cause }: Raising,
  several: boolean,
  { colors, width, line: longest, headline }: StoryView,
): readonly string[] {
  const which = several ? `${plain(kind)}: ` : "";
  const tries = several
    ? colors.dim(`  attempt${attempts.length > 1 ? "s" : ""} ${enumerated(attempts.map(String))}`)
    : "";
  const isTold = !several && message !== "" && headline?.includes(message) === true;
  const said = wrap(isTold ? "" : `${which}${plain(message)}`, width - 6).map(
    (line, index, all) => `    ${line}${index === all.length - 1 ? tries : ""}`,
  );
  const shown = Object.fromEntries(
    Object.entries(details).filter(
      ([name]) => !HIDDEN.has(name) && !(kind === "internal.template_error" && HIDDEN_OF_TEMPLATES.has(name)),
    ),
  );
  const perhaps = Array.isArray(details.suggestions)
    ? details.suggestions.map((name) => colors.green(plain(String(name))))
    : [];
  const lines = detailLines(shown, longest - 15, message);
  return [
    ...said,
    ...lines.map((line, index) => fact(index === 0 ? "details" : "", line, colors)),
    ...(perhaps.length > 0 ? [fact("perhaps", enumerated(perhaps, "or"), colors)] : []),
    ...(cause ? [fact("because", plainLineOf(`${cause.kind} in ${cause.node}: ${cause.message}`), colors)] : []),
  ];
}

function placeLines({ location, source }: Trouble, { colors, line: longest }: StoryView): readonly string[] {
  if (!location) return [];
  const at = fact("at", colors.cyan(`${location.file}:${location.line}:${location.column}`), colors);
  if (!source || source.trim() === "") return [at];
  const number = String(location.line);
  const { text } = quoteLine(source, location.column, Math.max(longest - number.length - 17, 20));
  return [at, `             ${colors.dim(`${number} │`)} ${text}`];
}

function shellLines({ shell }: Trouble, { colors, line: longest }: StoryView): readonly string[] {
  if (!shell) return [];
  const { command, exit_code, stderr } = shell;
  const code = exit_code === null ? "" : colors.dim(`  exited with ${exit_code}`);
  const said = stderr ? plain(stderr).split("\n").slice(-STDERR_LINES) : [];
  return [
    ...(command ? [["command", `${cut(plain(command).replaceAll("\n", " "), longest - 32)}${code}`] as const] : []),
    ...said.map((line, index) => [index === 0 ? "stderr" : "", line] as const),
  ].map(([word, text]) => fact(word, cut(text, longest - 13), colors));
}

/** `after 500ms, 1.0s and 2.0s, 3 of 4 used`. */
function retryLines({ retries }: Trouble): readonly string[] {
  const [first] = retries;
  if (!first) return [];
  const waits =
    retries.length <= 5
      ? enumerated(retries.map(({ delay_seconds }) => duration(delay_seconds * 1000)))
      : `${duration((first.delay_seconds ?? 0) * 1000)} to ${duration((retries.at(-1)?.delay_seconds ?? 0) * 1000)}`;
  const by = first.by === "resilience" ? ", by the file's resilience" : "";
  const via = first.via === undefined ? "" : `, by way of ${plain(first.via)}`;
  // Several routes have a budget each.
  const budget = retries.every(({ max, via: way }) => max === first.max && way === first.via);
  const times =
    budget && first.max !== undefined
      ? `${retries.length} of ${amount(first.max, "time")}`
      : amount(retries.length, "time");
  return [`${times}, after ${waits}${by}${via}`];
}

function routeLines(
  { routes, node_id, group, ending, unreadable }: Trouble,
  { colors, width, line: longest }: StoryView,
): readonly string[] {
  if (routes.length === 0) {
    // A member's own routes are not shown; its group reads what it leaves.
    if (unreadable !== undefined || group !== undefined || ending.type === "succeeded" || ending.type === "open")
      return [];
    return [fact("routes", `${plain(node_id)} has no error routes`, colors)];
  }
  const shown = routes.map((route) => ({ route, left: leftOf(route), why: whyOf(route, colors) }));
  const widest = Math.max(...shown.map(({ left }) => widthOf(left)));
  // Beside the routes when all reasons fit there, otherwise each below its route.
  const beside = shown.every(({ why }) => 15 + widest + 2 + widthOf(why) <= width);
  return shown.flatMap(({ route, left, why }, index) => {
    const sign = route.taken ? colors.green("✓") : colors.dim("·");
    const word = index === 0 ? "routes" : "";
    if (beside) return [fact(word, `${sign} ${pad(left, widest)}  ${why}`, colors)];
    const below = wrap(why, width - 19).map((line) => `${" ".repeat(19)}${line}`);
    return [fact(word, `${sign} ${cut(left, longest - 15)}`, colors), ...below];
  });
}

const whyOf = ({ taken, why }: RouteRead, { green, dim }: Colors): string =>
  taken ? green(plain(why)) : dim(`no: ${plain(why)}`);

function unreadableLines({ unreadable, routes }: Trouble, { colors, width }: StoryView): readonly string[] {
  if (unreadable === undefined) return [];
  const text = `the ${routes.length === 0 ? "first" : "next"} one could not be read: ${plain(unreadable)}`;
  const first = routes.length === 0 ? "routes" : "";
  return wrap(text, width - 15).map((line, index) =>
    index === 0 ? fact(first, `${colors.red("✗")} ${line}`, colors) : fact("", `  ${line}`, colors),
  );
}

const leftOf = ({ line, text, table }: RouteRead): string =>
  `${line === null ? "" : `${String(line).padStart(3)} `}${table === "workflow" ? "(error_routes) " : ""}${plain(text)}`;

function endingText({ ending, path }: Trouble, { colors, headline }: StoryView): string | undefined {
  const { green, red, yellow } = colors;
  switch (ending.type) {
    case "succeeded":
      return green(
        ending.after_end
          ? "it went well when it was run again after the run's end"
          : `attempt ${ending.attempt} went well`,
      );
    case "recovered":
      return green(ending.by === "$end" ? "a route ended the workflow here" : `${plain(ending.by)} handled it`);
    case "routed":
      return `it led to ${plain(ending.to)}, which did not get to its end`;
    case "terminated":
      return `it led to ${plain(ending.by)}, which ended the workflow${headline?.includes(ending.reason) ? "" : `: ${plain(ending.reason).replaceAll("\n", " ")}`}`;
    case "halted":
      return red("the run was halted here, on purpose");
    case "went_up":
      return `nothing in ${plain(path.at(-1) ?? "this file")} took it, so it went up to the workflow above`;
    case "to_group":
      return ending.went_on
        ? yellow(`the group ${plain(ending.group)} went on without it; its place in the output is null`)
        : `it went to the group ${plain(ending.group)}`;
    case "unhandled":
      return red("no route took it, so the run failed");
    case "open":
      return undefined;
    default:
      return ending satisfies never;
  }
}

/** How a story is printed. */
export interface StoryView {
  readonly colors: Colors;
  /** Columns that prose is broken at. */
  readonly width: number;
  /** Columns at which a line that cannot be broken is cut. */
  readonly line: number;
  readonly now: number;
  /** How the run ended, as it stands above: the blocks below do not repeat it. */
  readonly headline?: string | null;
  /** A file that a finding points at. */
  readonly read: (file: string) => string | undefined;
}
