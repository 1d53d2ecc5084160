// What stands on an edge: the kinds of an error route, the condition, the retries; short enough to be read in a drawing.
import type { RetryAction, Route } from "../language/schema/index.ts";

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
  const again = retry ? [`↻ ${to === undefined || retry.max === undefined ? "" : "at most "}${timesOf(retry)}`] : [];
  return [...kinds, ...condition, ...again];
}

/** @example "3×", "at the reset" */
const timesOf = ({ max, until }: RetryAction): string =>
  [until ? "at the reset" : "", max === undefined ? "" : `${max}×`].filter(Boolean).join(", ");

export const retryText = (retry: RetryAction): string => `retry ${timesOf(retry)}`;

export const textLabel = (text: string): readonly string[] => [shortened(text)];

const QUOTED = /('[^']*'|"[^"]*")/;
/** No edge shows more, and no pattern has to read more. */
const LONGEST_READ = 400;

/**
 * A condition, short enough to stand on an edge. What tells two routes apart is the operator and the value, so those stay
 * and the way to the value goes first: `poll_status.output.route == 'merged'` becomes `route == 'merged'`.
 */
export function shortCondition(when: string, width: number): string {
  const read = when.slice(0, LONGEST_READ).replace(/\s+/g, " ").trim();
  const text = read.replace(/^\{\{-?\s*/, "").replace(/\s*-?\}\}$/, "");
  const withoutSteps = outsideQuotes(text, (part) => part.replace(/\b[\w-]+\.output\.(?=\w)/g, ""));
  if (withoutSteps.length <= width) return withoutSteps;
  const bare = outsideQuotes(withoutSteps, (part) => part.replace(/\b(?:[\w-]+\.)+(?=\w)/g, ""));
  if (bare.length <= width) return bare;
  return withFewerClauses(bare, width) ?? withShortSides(bare, width);
}

const outsideQuotes = (text: string, change: (part: string) => string): string =>
  text
    .split(QUOTED)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");

/** `a == 1 and …`: whole clauses, as many as fit. */
function withFewerClauses(text: string, width: number): string | undefined {
  const ends = [...text.matchAll(/ (?:and|or) /g)].filter(({ index }) => isOutsideQuotes(text, index));
  const fitting = ends
    .map(({ 0: word, index }) => `${text.slice(0, index)}${word}…`)
    .filter((one) => one.length <= width);
  return fitting.at(-1);
}

const isOutsideQuotes = (text: string, at: number): boolean =>
  (text.slice(0, at).split(QUOTED).at(-1) ?? "").search(/['"]/) === -1;

/** The end of what is compared, the operator, and the beginning of the value. */
function withShortSides(text: string, width: number): string {
  const found = /^(.*?) (==|!=|<=|>=|<|>|not in|in|is not|is) (.*)$/.exec(text);
  if (!found) return cutEnd(text, width);
  const [, left = "", operator = "", value = ""] = found;
  const room = width - operator.length - 2;
  const leftRoom = Math.max(Math.floor(room / 2), room - value.length);
  const shortLeft = left.length <= leftRoom ? left : `…${left.slice(left.length - leftRoom + 1)}`;
  return `${shortLeft} ${operator} ${cutEnd(value, room - shortLeft.length)}`;
}

const cutEnd = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
