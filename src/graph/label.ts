// What stands on an edge: the kinds of an error route, the condition, the retries; short enough to be read in a drawing.
import type { Route } from "../language/schema/index.ts";
import { shortCondition } from "./condition.ts";

const WIDEST = 30;
const MOST_LINES = 3;

export const shortened = (text: string, width = WIDEST): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
};

/** Kinds, a few on a line; what does not fit is counted. */
function kindLines(selector: unknown): readonly string[] {
  if (selector === true || selector === "*") return ["any error"];
  const kinds = Array.isArray(selector) ? selector.map(String) : [String(selector)];
  const lines: string[] = [];
  for (const kind of kinds) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + kind.length + 2 <= WIDEST) lines[lines.length - 1] = `${last}, ${kind}`;
    else lines.push(shortened(kind));
  }
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), `and ${lines.length - MOST_LINES + 1} more`];
}

export function labelOf({ on_error, when, retry, to }: Route): readonly string[] {
  const kinds = on_error === undefined ? [] : kindLines(on_error);
  const condition = when === undefined ? [] : [`if ${shortCondition(when, WIDEST)}`];
  const again = retry ? [`↻ ${to === undefined ? "" : "at most "}${retry.max}×`] : [];
  return [...kinds, ...condition, ...again];
}

export const textLabel = (text: string): readonly string[] => [shortened(text)];
