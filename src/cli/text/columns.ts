// Rows in columns as wide as what stands in them; the last one takes what is left of the line.

import type { Colors } from "../output.ts";
import { plainLineOf } from "./harmless.ts";
import { cut, pad, widthOf } from "./width.ts";

/** Without a terminal nothing has to fit: lines are written whole. */
export const WHOLE_LINES = 10_000;

/** A cell that went over a line could write a row of its own. */
const oneLine = (cell: string): string => cell.replace(/\s*\n\s*/g, " ");

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

/** One option of a gate for people: the value to answer with, what it means, the text that it asks for. */
interface AnswerOption {
  readonly value: string;
  readonly label: string;
  readonly prompt_for?: string;
  readonly prompt_optional?: true;
}

export function optionLine({ value, label, prompt_for, prompt_optional }: AnswerOption, colors: Colors): string {
  const text = prompt_for ? `  with --input ${prompt_for}=TEXT${prompt_optional ? ", if you like" : ""}` : "";
  return `${colors.cyan(plainLineOf(value))}${label === value ? "" : `  ${plainLineOf(label)}`}${colors.dim(plainLineOf(text))}`;
}
