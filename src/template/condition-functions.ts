// The functions of Python that people write in bare conditions.

import { fail } from "./error.ts";
import { FILTERS } from "./filters/filters.ts";
import { round, toFloat, toInteger } from "./filters/number-filters.ts";
import { GLOBALS } from "./runtime/globals.ts";
import { float } from "./values/float.ts";
import { itemsOf, length } from "./values/iterate.ts";
import { sorted } from "./values/order.ts";
import { str } from "./values/repr.ts";
import { operation, wholeNumber } from "./values/signature.ts";
import { type Args, Callable, type Host } from "./values/thing.ts";
import { isTrue } from "./values/truth.ts";
import { aTypeWord, type Value } from "./values/value.ts";

function callable(name: string, run: (value: Value, rest: Args, host: Host) => Value): readonly [string, Value] {
  const invoke = (args: Args, host: Host): Value => {
    const [value, ...positional] = args.positional;
    if (value === undefined) return fail("type", `'${name}' needs a value.`);
    return run(value, { ...args, positional }, host);
  };
  return [name, new Callable(name, invoke)];
}

function needed<T>(result: T | undefined, value: Value, what: string): T {
  return result ?? fail("type", `${aTypeWord(value)} ${JSON.stringify(str(value))} is no ${what}.`);
}

function extreme(name: "min" | "max"): readonly [string, Value] {
  return callable(name, (value, { positional }) => {
    const items = positional.length > 0 ? [value, ...positional] : itemsOf(value);
    const ordered = sorted(items, (item) => item, name === "max");
    return ordered[0] === undefined ? fail("type", `'${name}' of nothing.`) : ordered[0];
  });
}

const rounded = operation(["digits?"], (value, [digits]) =>
  digits === undefined || digits === null ? toInteger(round(value, 0)) : round(value, wholeNumber(digits, 0)),
);

export const CONDITION_GLOBALS: ReadonlyMap<string, Value> = new Map([
  ...GLOBALS,
  callable("int", (value) => needed(toInteger(value), value, "whole number")),
  callable("float", (value) => float(needed(toFloat(value), value, "number"))),
  callable("str", (value) => str(value)),
  callable("bool", (value) => isTrue(value)),
  callable("len", (value) => length(value)),
  callable("abs", (value, args, host) => FILTERS.get("abs")!(value, args, host)),
  callable("round", rounded),
  callable("sum", (value, args, host) => FILTERS.get("sum")!(value, args, host)),
  extreme("min"),
  extreme("max"),
]);
