// All filters and tests by name.

import { fail } from "../error.ts";
import { isEqual, isTrue } from "../values/compare.ts";
import { isDictionary, iterableOf } from "../values/dict.ts";
import { numberOf } from "../values/numbers.ts";
import { binary, type Comparison, contains, holds } from "../values/operators.ts";
import { str } from "../values/repr.ts";
import { byName, Callable, type Operation, operation, Thing } from "../values/thing.ts";
import { aTypeWord, isText, kindOf, Markup, raiseUndefined, textOf, Undefined, type Value } from "../values/value.ts";
import { HTML_FILTERS } from "./html-filters.ts";
import { ORDER_FILTERS, PICK_FILTERS } from "./item-filters.ts";
import { JSON_FILTERS } from "./json-filters.ts";
import { LIST_FILTERS } from "./list-filters.ts";
import { NUMBER_FILTERS } from "./number-filters.ts";
import { TEXT_FILTERS } from "./text-filters.ts";

const replacing = (isMissing: (input: unknown) => boolean): Operation =>
  operation(["default_value?", "boolean?"], (input, [fallback = "", boolean = false]) => {
    if (isMissing(input)) return fallback;
    return isTrue(boolean) && !isTrue(input) ? fallback : input;
  });

const isUndefined = (input: unknown): boolean => input instanceof Undefined;

/**
 * `default` replaces what is undefined, and none as well, as the workflows expect; `d` is Jinja2's own and leaves none
 * alone.
 */
const DEFAULT_FILTERS = byName({
  default: replacing((input) => isUndefined(input) || input === null),
  d: replacing(isUndefined),
});

export const FILTERS: ReadonlyMap<string, Operation> = new Map([
  ...DEFAULT_FILTERS,
  ...TEXT_FILTERS,
  ...NUMBER_FILTERS,
  ...LIST_FILTERS,
  ...PICK_FILTERS,
  ...ORDER_FILTERS,
  ...JSON_FILTERS,
  ...HTML_FILTERS,
]);

/** How each filter is called, by name: `replace(old, new, count?)`. For editors. */
export const filterSignatures = (): ReadonlyMap<string, string> =>
  new Map(
    [...FILTERS].map(([name, { parameters }]) => [
      name,
      parameters === undefined ? `${name}(…)` : parameters.length > 0 ? `${name}(${parameters.join(", ")})` : name,
    ]),
  );

const test = (check: (value: Value) => boolean): Operation => operation([], check);

const comparing = (operator: Comparison): Operation =>
  operation(["other"], (input, [other]) => holds(operator, input, other));

function remainder(value: Value, divisor: Value): Value {
  if (value instanceof Undefined) return raiseUndefined(value);
  if (numberOf(value) === undefined) return fail("type", `A number is needed for this test, not ${aTypeWord(value)}.`);
  return binary("%", value, divisor);
}

function isSame(a: Value, b: Value): boolean {
  if (typeof a === "object" && a !== null && !isText(a) && numberOf(a) === undefined) return a === b;
  return kindOf(a) === kindOf(b) && isEqual(a, b);
}

function isCased(value: Value, change: (text: string) => string): boolean {
  const text = str(value);
  return /[\p{Lu}\p{Ll}\p{Lt}]/u.test(text) && text === change(text);
}

const SEQUENCES: ReadonlySet<string> = new Set(["string", "list", "tuple", "dict", "range"]);

export const TESTS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["defined", test((value) => !(value instanceof Undefined))],
  ["undefined", test((value) => value instanceof Undefined)],
  ["none", test((value) => kindOf(value) === "none")],
  ["boolean", test((value) => typeof value === "boolean")],
  ["true", test((value) => value === true)],
  ["false", test((value) => value === false)],
  ["integer", test((value) => kindOf(value) === "int")],
  ["float", test((value) => kindOf(value) === "float")],
  ["number", test((value) => numberOf(value) !== undefined)],
  ["string", test((value) => textOf(value) !== undefined)],
  ["mapping", test(isDictionary)],
  ["sequence", test((value) => SEQUENCES.has(kindOf(value)))],
  ["iterable", test((value) => iterableOf(value) !== undefined)],
  ["callable", test((value) => value instanceof Callable || (value instanceof Thing && value.invoke !== undefined))],
  ["escaped", test((value) => value instanceof Markup)],
  ["odd", test((value) => isEqual(remainder(value, 2), 1))],
  ["even", test((value) => isEqual(remainder(value, 2), 0))],
  ["divisibleby", operation(["num"], (input, [divisor]) => isEqual(remainder(input, divisor), 0))],
  ["lower", test((value) => isCased(value, (text) => text.toLowerCase()))],
  ["upper", test((value) => isCased(value, (text) => text.toUpperCase()))],
  ["sameas", operation(["other"], (input, [other]) => isSame(input, other))],
  ["in", operation(["seq"], (input, [container]) => contains(container, input))],
  ["filter", operation([], (input, _args, host) => host.filter(str(input)) !== undefined)],
  ["test", operation([], (input, _args, host) => host.test(str(input)) !== undefined)],
  ...(["eq", "equalto", "=="] as const).map((name) => [name, comparing("==")] as const),
  ...(["ne", "!="] as const).map((name) => [name, comparing("!=")] as const),
  ...(["lt", "lessthan", "<"] as const).map((name) => [name, comparing("<")] as const),
  ...(["le", "<="] as const).map((name) => [name, comparing("<=")] as const),
  ...(["gt", "greaterthan", ">"] as const).map((name) => [name, comparing(">")] as const),
  ...(["ge", ">="] as const).map((name) => [name, comparing(">=")] as const),
]);
