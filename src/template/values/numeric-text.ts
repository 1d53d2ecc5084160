// Text that looks like a number, where a calculation meets it. Jinja2 repeats, joins and compares it as text, or raises.
import { textOf } from "./markup.ts";
import type { Arithmetic } from "./numbers.ts";
import type { Value } from "./value.ts";

const NUMERIC = /^\s*[+-]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

function isNumericText(value: Value): boolean {
  const text = textOf(value);
  return text !== undefined && text.length <= 400 && NUMERIC.test(text);
}

/** What to add to a failure: nothing where no text looks like a number. */
export const numericHint = (...values: readonly Value[]): string =>
  values.some(isNumericText) ? " The text looks like a number; `| float` makes it one." : "";

interface Operands {
  readonly left: Value;
  readonly right: Value;
  /** The whole expression and its sides as they are written. */
  readonly source: string;
  readonly sources: readonly [left: string, right: string];
}

/** What to remark on `+` and `*` that gave text. */
export function textArithmetic(operator: Arithmetic, { left, right, source, sources }: Operands): string | undefined {
  const isText = [isNumericText(left), isNumericText(right)] as const;
  if (operator === "*" && (isText[0] || isText[1])) {
    const side = sources[isText[0] ? 0 : 1];
    return `In \`${source}\`, \`${side}\` is text that looks like a number, so it is repeated, not multiplied. Write \`${side} | float\` to calculate with it.`;
  }
  if (operator === "+" && isText[0] && isText[1])
    return `In \`${source}\`, both sides are text that looks like a number, so they are joined, not added. Write \`| float\` behind each to add them, or \`~\` to join them.`;
  return undefined;
}

/** What to remark on an order of texts that is not that of the numbers. */
export function textOrder(
  operator: string,
  holds: boolean,
  { left, right, source }: Omit<Operands, "sources">,
): string | undefined {
  if (!isOrder(operator) || !isNumericText(left) || !isNumericText(right)) return undefined;
  const [a, b] = [left, right].map((side) => Number(textOf(side)?.replaceAll("_", ""))) as [number, number];
  if (ORDERS[operator](a, b) === holds) return undefined;
  return `In \`${source}\`, both sides are text that looks like a number, so they are compared letter by letter. Write \`| float\` behind each to compare numbers.`;
}

const ORDERS = {
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
} as const;

const isOrder = (operator: string): operator is keyof typeof ORDERS => Object.hasOwn(ORDERS, operator);
