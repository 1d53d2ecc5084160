// One error of a result for people: kind, message, where it was raised, the way it went up, details, what to do.
import { endingWords } from "../../../base/errors/who-handles.ts";
import type { Reader } from "../../../base/results/reader.ts";
import type { Entry } from "../../../base/results/result.ts";
import type { Colors } from "../output.ts";
import { quoted } from "../show-findings.ts";
import { jsonText, plain, plainLineOf } from "../text/harmless.ts";
import { itemName } from "../text/phrases.ts";
import { cut, hang, wrap } from "../text/width.ts";

export interface BlockView {
  readonly colors: Colors;
  readonly width: number;
  /** Columns of the terminal that is written to; absent: no terminal, and single lines stay single. */
  readonly terminal?: number | undefined;
  readonly read: (file: string) => string | undefined;
  /** Whom commands are suggested to; the plain command line when left out. */
  readonly reader?: Reader;
  /** A command that has a line of its own below: hints do not repeat it. */
  readonly shownBelow?: string | null | undefined;
}

export function errorBlock(entry: Entry, view: BlockView): readonly string[] {
  const { colors, width } = view;
  const ending = entry.error_type === undefined ? undefined : endingWords(entry.error_type);
  const name = entry.kind ?? entry.rule ?? ending ?? entry.category ?? "error";
  const room = Math.min(width, 100) - 2;
  const lines = [`${colors.red("✗")} ${colors.red(colors.bold(plain(name)))}`];
  lines.push(...wrap(plain(entry.message), room).map((line) => `  ${line}`));
  const fact = (word: string, text: string) => lines.push(hang(`  ${colors.dim(word.padEnd(8))}`, text, view.terminal));
  const where = raisedWhere(entry);
  if (where) fact("raised", where);
  const items = placesOf(entry);
  if (items) fact("item", items);
  const callers = (entry.propagated ?? []).map(({ workflow, node, ...place }) =>
    plainLineOf(`${itemName({ node_id: node, ...place })} in ${workflow}`),
  );
  if (callers.length > 0) fact("went up", callers.join(", then "));
  if (entry.location) fact("at", colors.cyan(`${entry.location.file}:${entry.location.line}:${entry.location.column}`));
  lines.push(...quotedPlace(entry, view));
  const { raw_response, response_headers, request } = entry;
  const { stderr_tail = undefined, ...facts } = { ...entry.details, raw_response, response_headers, request };
  const all = entry.shell_stderr ? facts : { ...facts, stderr_tail };
  const details = detailLines(all, width - 4, entry.message);
  if (details.length > 0) lines.push(colors.dim("  details"), ...details.map((line) => `    ${line}`));
  lines.push(...stderrLines(entry, view));
  if (entry.cause)
    fact("because", plainLineOf(`${entry.cause.kind} in ${entry.cause.raised_at.node}: ${entry.cause.message}`));
  if (entry.suggestions?.length) fact("perhaps", entry.suggestions.map((text) => colors.green(plain(text))).join(", "));
  const hint = withoutCommand(plain(entry.hint ?? ""), view.shownBelow);
  for (const [index, line] of wrap(hint, room - 9).entries())
    if (hint) lines.push(`  ${colors.dim((index === 0 ? "next" : "").padEnd(8))} ${line}`);
  return lines;
}

/** @example withoutCommand("Fix it, then: segno resume 01", "segno resume 01") // "Fix it." */
function withoutCommand(hint: string, command: string | null | undefined): string {
  if (!command || !hint.endsWith(command)) return hint;
  const advice = hint
    .slice(0, -command.length)
    .replace(/(, then|\bTo go on|\bTo begin it): $/, "")
    .trim();
  return advice === "" || advice.endsWith(".") ? advice : `${advice}.`;
}

function raisedWhere({ raised_at, node_id, attempts }: Entry): string | undefined {
  const node = raised_at?.node ?? node_id;
  if (!node) return undefined;
  const workflow = raised_at ? ` in ${raised_at.workflow}` : "";
  return plainLineOf(`${node}${workflow}${attempts && attempts > 1 ? `, after ${attempts} attempts` : ""}`);
}

/** `regions[us] › hosts[q]`: the item of each group that it was raised in, outermost first. */
function placesOf({ items, group, item_key }: Entry): string | undefined {
  const places = items ?? (group === undefined || item_key === undefined ? [] : [{ group, item_key }]);
  if (places.length === 0) return undefined;
  return plainLineOf(places.map((place) => itemName({ node_id: place.group, ...place })).join(" › "));
}

const STDERR_LINES = 20;

/** What the script said last, unless the message has it all. */
function stderrLines({ shell_stderr, message }: Entry, { colors, width }: BlockView): readonly string[] {
  const text = plain(shell_stderr ?? "").trimEnd();
  if (text.trim() === "" || message.includes(text.trim())) return [];
  const all = text.split("\n");
  const last = all.length > STDERR_LINES ? ` (last ${STDERR_LINES} of ${all.length} lines)` : "";
  return [
    colors.dim(`  stderr${last}`),
    ...all.slice(-STDERR_LINES).map((line) => `    ${cut(line, Math.max(width, 100) - 4)}`),
  ];
}

function quotedPlace({ location }: Entry, { colors, width, read }: BlockView): readonly string[] {
  if (!location) return [];
  const line = read(location.file)?.split(/\r\n|\r|\n/)[location.line - 1];
  const quote = quoted(line, location, { colors, width: width - 11 }, colors.red);
  return quote.map((text) => `${" ".repeat(11)}${text}`);
}

const FIELDS = 12;
const TEXT_LINES = 6;

/** A text of at least this length is a sentence: where the message has it, it is not said again. */
const SENTENCE = 40;

/**
 * An error's details for a terminal: one line for each field, long values cut, deep ones as compact JSON. Left out are empty
 * fields and sentences that the message has.
 */
export function detailLines(
  details: Readonly<Record<string, unknown>>,
  width: number,
  message = "",
): readonly string[] {
  const isWorthShowing = (value: unknown): boolean =>
    value !== undefined &&
    value !== null &&
    value !== "" &&
    !(typeof value === "string" && value.length >= SENTENCE && message.includes(value.trim()));
  const entries = Object.entries(details).filter(([, value]) => isWorthShowing(value));
  const lines = entries.slice(0, FIELDS).flatMap(([name, value]) => fieldLines(plainLineOf(name), value, width));
  return entries.length > FIELDS ? [...lines, `and ${entries.length - FIELDS} more`] : lines;
}

function fieldLines(name: string, value: unknown, width: number): readonly string[] {
  if (typeof value !== "string") return [cut(`${name}: ${jsonText(value)}`, width)];
  const text = plain(value.trimEnd()).split("\n");
  if (text.length === 1) return [cut(`${name}: ${text[0]}`, width)];
  // The end of an output says more than its beginning.
  const shown = text.slice(-TEXT_LINES).map((line) => cut(`  ${line}`, width));
  return [`${name}:${text.length > TEXT_LINES ? ` (last ${TEXT_LINES} of ${text.length} lines)` : ""}`, ...shown];
}
