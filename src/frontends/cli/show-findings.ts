// Findings for people: what, why, where, the line quoted with a caret under the place, and the nearest right names.
import { resolve } from "node:path";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { enumerated } from "../../base/errors/nearest.ts";
import { redactSourceLine } from "../../base/redact/index.ts";
import type { Entry } from "../../base/results/result.ts";
import { readRegularFile } from "../../services/session/path-inside.ts";
import type { Call } from "./command.ts";
import { type Colors, WHOLE_LINES } from "./output.ts";
import { plain, plainLineOf } from "./text/harmless.ts";
import { amount } from "./text/phrases.ts";
import { widthOf, widthOfCharacter, wrap } from "./text/width.ts";

/** The part of an entry that a finding has. */
export type ShownFinding = Pick<
  Entry,
  "message" | "rule" | "location" | "suggestions" | "via" | "error_type" | "category"
>;

export interface FindingsView {
  readonly errors: readonly ShownFinding[];
  readonly warnings: readonly ShownFinding[];
  readonly colors: Colors;
  readonly width: number;
  /** Text of a file as named in a location, if it can be read. */
  readonly read: (file: string) => string | undefined;
}

type Severity = "error" | "warning";

/** All findings, in the order of their places, and a line that counts them. Nothing when there are none. */
export function showFindings(view: FindingsView): string {
  const all = [
    ...view.errors.map((finding) => ({ finding, severity: "error" as const })),
    ...view.warnings.map((finding) => ({ finding, severity: "warning" as const })),
  ];
  if (all.length === 0) return "";
  const sources = sourceLines(view.read);
  const blocks = all
    .sort((a, b) => byPlace(a.finding, b.finding))
    .map(({ finding, severity }) => showFinding(finding, severity, view, sources));
  return `${[...blocks, summary(view)].join("\n\n")}\n`;
}

/** The findings of an answer, on stderr, as wide as that is. */
export function writeFindings(
  { errors, warnings }: Pick<FindingsView, "errors" | "warnings">,
  { asked, output }: Pick<Call, "asked" | "output">,
): void {
  const { colors, stderr } = output;
  const width = stderr.columns ?? WHOLE_LINES;
  stderr.write(showFindings({ errors, warnings, colors, width, read: sourceReader(asked.cwd) }));
}

const byPlace = ({ location: a }: ShownFinding, { location: b }: ShownFinding): number => {
  if (!a || !b) return Number(b !== undefined) - Number(a !== undefined);
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
};

function showFinding(finding: ShownFinding, severity: Severity, view: FindingsView, sources: Sources): string {
  const { colors, width } = view;
  const paint = severity === "error" ? colors.red : colors.yellow;
  const { location } = finding;
  const place = location ? `${plainLineOf(location.file)}:${location.line}:${location.column}` : undefined;
  const name = finding.rule ?? finding.category ?? finding.error_type;
  const head = [paint(colors.bold(severity)), name && colors.bold(name), place && colors.cyan(place)]
    .filter(Boolean)
    .join("  ");
  const lines = [head, ...indented(withCode(plain(finding.message), colors), width)];
  // An eval can name any file as its dataset, also one that holds a secret: its lines are not shown.
  if (location && finding.rule !== "dataset") {
    const line = sources(location.file)[location.line - 1];
    const quote = quoted(line, location, { colors, width: width - 2 }, paint).map((text) => `  ${text}`);
    if (quote.length > 0) lines.push("", ...quote);
  }
  const hints = [...suggestionLines(finding, colors)];
  if (finding.via?.length) hints.push(colors.dim(`reached by way of ${plainLineOf(finding.via.join(" → "))}`));
  return [...lines, ...(hints.length ? ["", ...hints.map((hint) => `  ${hint}`)] : [])].join("\n");
}

/** Names that would do, and texts to write. What the message says already is not said twice. */
function* suggestionLines({ suggestions = [], message }: ShownFinding, colors: Colors): Generator<string> {
  const fresh = suggestions.filter((text) => !message.includes(`\`${text}\``)).map(plainLineOf);
  const names = fresh.filter((text) => !text.includes(" ")).map((name) => colors.green(name));
  if (names.length > 0) yield `did you mean ${enumerated(names, "or")}?`;
  for (const text of fresh.filter((text) => text.includes(" "))) yield `try ${colors.green(text)}`;
}

/** What stands in backticks is code; colour says so better than they do. */
const withCode = (text: string, colors: Colors): string =>
  colors.isColorSupported ? text.replace(/`([^`\n]+)`/g, (_, code: string) => colors.cyan(code)) : text;

const indented = (text: string, width: number): string[] =>
  wrap(text.trimEnd(), Math.min(width, 100) - 2).map((line) => (line ? `  ${line}` : ""));

/** A line of a file behind its number, with a caret below it. Of an empty line nothing is shown. */
export function quoted(
  line: string | undefined,
  place: { readonly line: number; readonly column: number },
  { colors, width }: Pick<FindingsView, "colors" | "width">,
  paint: (text: string) => string,
): readonly string[] {
  if (line === undefined || line.trim() === "") return [];
  const number = String(place.line);
  const { text, at, length } = quoteLine(line, place.column, Math.max(width - number.length - 4, 20));
  const bar = colors.dim("│");
  return [
    `${colors.dim(number)} ${bar} ${text}`,
    `${" ".repeat(number.length)} ${bar} ${" ".repeat(at)}${paint(`^${"~".repeat(length - 1)}`)}`,
  ];
}

/** `2 errors, 1 warning in release.yaml`. */
export function summary({ errors, warnings, colors }: Pick<FindingsView, "errors" | "warnings" | "colors">): string {
  const counts = [];
  if (errors.length > 0) counts.push(colors.red(colors.bold(amount(errors.length, "error"))));
  if (warnings.length > 0) counts.push(colors.yellow(colors.bold(amount(warnings.length, "warning"))));
  const files = [...new Set([...errors, ...warnings].flatMap(({ location }) => (location ? [location.file] : [])))];
  const where =
    files.length === 0 ? "" : files.length === 1 ? ` in ${plainLineOf(files[0] ?? "")}` : ` in ${files.length} files`;
  return counts.join(", ") + where;
}

type Sources = (file: string) => readonly string[];

function sourceLines(read: FindingsView["read"]): Sources {
  const kept = new Map<string, readonly string[]>();
  return (file) => {
    const lines = kept.get(file) ?? read(file)?.split(/\r\n|\r|\n/) ?? [];
    kept.set(file, lines);
    return lines;
  };
}

/** Reads a file that a finding points at, to quote it. A file that cannot be read is simply not quoted. */
export const sourceReader =
  (cwd: string) =>
  (file: string): string | undefined =>
    unlessItThrows(() => readRegularFile(resolve(cwd, file)).toString("utf8"), undefined);

export interface QuotedLine {
  readonly text: string;
  /** Column of the caret, 0-based, in terminal columns of `text`. */
  readonly at: number;
  /** How many columns are underlined, the caret included. */
  readonly length: number;
}

const TAB = 4;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Tabs become spaces; characters that would move the terminal's cursor become dots. */
function printable(text: string): string {
  let shown = "";
  let column = 0;
  for (const character of text.replace(CONTROL, "·")) {
    const piece = character === "\t" ? " ".repeat(TAB - (column % TAB)) : character;
    shown += piece;
    column += widthOf(piece);
  }
  return shown;
}

/** The word at the place: a quoted string whole, a name or a path up to what ends it in YAML or in a template. */
function wordAt(rest: string): string {
  const quoted = /^(["']).*?\1/.exec(rest);
  if (quoted) return quoted[0];
  return /^[\p{L}\p{N}_.$@/*+-]+/u.exec(rest)?.[0] ?? [...rest][0] ?? "";
}

/** `column` is 1-based and counts UTF-16 units, as positions in a loaded file do. */
export function quoteLine(written: string, writtenColumn: number, width: number): QuotedLine {
  const { line, column } = withoutSecrets(written, writtenColumn);
  const before = printable(line.slice(0, column - 1));
  const at = widthOf(before);
  const text = printable(line.trimEnd());
  const length = Math.max(widthOf(printable(wordAt(line.slice(column - 1)))), 1);
  return widthOf(text) <= width ? { text, at, length } : window(text, at, length, width);
}

/** The caret moves with what is hidden before it. */
function withoutSecrets(line: string, column: number): { readonly line: string; readonly column: number } {
  const shown = redactSourceLine(line);
  if (shown === line) return { line, column };
  return { line: shown, column: redactSourceLine(line.slice(0, column - 1)).length + 1 };
}

/** A line that is too long is cut on both sides; the place stands a third of the way in. */
function window(text: string, at: number, length: number, width: number): QuotedLine {
  const from = Math.max(0, Math.min(at - Math.floor(width / 3), widthOf(text) - width));
  let column = 0;
  let shown = "";
  let start = -1;
  for (const character of text) {
    const wide = widthOfCharacter(character);
    if (column >= from && column + wide <= from + width) {
      if (start < 0) start = column;
      shown += character;
    }
    column += wide;
  }
  const characters = [...shown];
  if (from > 0) characters[0] = "…".padEnd(widthOfCharacter(characters[0] ?? " "), " ");
  if (from + width < widthOf(text)) characters[characters.length - 1] = "…";
  const caret = at - Math.max(start, 0);
  return { text: characters.join(""), at: caret, length: Math.max(Math.min(length, width - caret), 1) };
}
