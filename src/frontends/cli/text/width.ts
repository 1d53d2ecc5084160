// Text on a terminal: how many columns it takes, lines that are broken to fit, and rows in columns.
import type { ResultGate } from "../../../base/results/result.ts";
import type { Colors } from "../output.ts";
import { plainLineOf } from "./harmless.ts";

const ESCAPES = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

/** East Asian wide and fullwidth blocks, as ranges of code points. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

export function widthOfCharacter(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return 1;
  if (ZERO.test(character)) return 0;
  if (WIDE.some(([from, to]) => code >= from && code <= to) || EMOJI.test(character)) return 2;
  return 1;
}

const ASCII = /^[\x20-\x7e]*$/;

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text.replace(ESCAPES, "")) width += widthOfCharacter(character);
  return width;
}

/** The text cut to at most `width` columns, with an ellipsis when something is missing. Escape sequences survive. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let room = Math.max(width - 1, 0);
  let kept = "";
  let colored = false;
  for (const part of text.split(/(\u001b\[[0-9;?]*[ -/]*[@-~])/)) {
    if (part.startsWith("\u001b[")) {
      kept += part;
      colored = true;
      continue;
    }
    for (const character of part) {
      const wide = widthOfCharacter(character);
      if (wide > room) return `${kept}…${colored ? "\u001b[0m" : ""}`;
      kept += character;
      room -= wide;
    }
  }
  return kept;
}

/** Filled up with spaces to `width` columns. */
export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(width - widthOf(text), 0));

/** Lines of at most `width` columns; a word that is wider stands alone. Line breaks in the text stay. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => wrapParagraph(paragraph, Math.max(width, 10)));
}

/** A sign and its text, whose later lines stand below the text. Without a width (a log) nothing is broken. */
export function hang(sign: string, text: string, width: number | undefined): string {
  if (width === undefined) return `${sign} ${text}`;
  const room = widthOf(sign) + 1;
  return wrap(text, width - room)
    .map((line, index) => `${index === 0 ? `${sign} ` : " ".repeat(room)}${line.trimEnd()}`)
    .join("\n");
}

function wrapParagraph(paragraph: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of paragraph.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** A cell that went over a line could write a row of its own. */
const oneLine = (cell: string): string => cell.replace(/\s*\n\s*/g, " ");

/** Rows in columns as wide as what stands in them; the last one takes what is left of the line. */
export function columns(given: readonly (readonly string[])[], width: number): string {
  const rows = given.map((row) => row.map(oneLine));
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count - 1 }, (_, index) =>
    Math.max(...rows.map((row) => widthOf(row[index] ?? ""))),
  );
  return rows
    .map((row) =>
      cut(
        row
          .map((cell, index) => (index < count - 1 ? pad(cell, widths[index] ?? 0) : cell))
          .join("  ")
          .trimEnd(),
        width,
      ),
    )
    .join("\n");
}

/** Rows under their titles. */
export const table = (titles: readonly string[], rows: readonly (readonly string[])[], colors: Colors, width: number) =>
  columns([titles.map((title) => colors.dim(title)), ...rows], width);

/** One option of a gate for people: the value to answer with, what it means, the text that it asks for. */
export function optionLine(
  { value, label, prompt_for, prompt_optional }: ResultGate["options"][number],
  colors: Colors,
): string {
  const text = prompt_for ? `  with --input ${prompt_for}=TEXT${prompt_optional ? ", if you like" : ""}` : "";
  return `${colors.cyan(plainLineOf(value))}${label === value ? "" : `  ${plainLineOf(label)}`}${colors.dim(plainLineOf(text))}`;
}

/** One question of a list for people: the id to answer by, and what is asked. */
export function questionLine(
  question: Readonly<{ id?: unknown; text?: unknown; choices?: unknown }>,
  colors: Colors,
): string {
  const { id, text, choices } = question;
  const from = Array.isArray(choices) ? `  one of ${choices.join(", ")}` : "";
  return `${colors.cyan(plainLineOf(String(id)))}  ${plainLineOf(String(text))}${colors.dim(plainLineOf(from))}`;
}
