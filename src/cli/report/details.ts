// An error's details for a terminal: one line for each field, long values cut, deep ones as compact JSON.
import { jsonText, plain, plainLineOf } from "../text/harmless.ts";
import { cut } from "../text/width.ts";

const FIELDS = 12;
const TEXT_LINES = 6;

/** What is said elsewhere in the report, or says nothing. */
const isWorthShowing = ([, value]: [string, unknown]): boolean => value !== undefined && value !== null && value !== "";

export function detailLines(details: Readonly<Record<string, unknown>>, width: number): readonly string[] {
  const entries = Object.entries(details).filter(isWorthShowing);
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
