// One line of a file with its number and a caret under the place that is meant.
import { redactSourceLine } from "../../redact/index.ts";
import { widthOf, widthOfCharacter } from "./width.ts";

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
