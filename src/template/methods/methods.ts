// The closed list of methods a template may call on data.
import { isDictionary } from "../values/dict.ts";
import { escapeHtml, Markup, textOf } from "../values/markup.ts";
import { intOf, numberOf } from "../values/numbers.ts";
import { list } from "../values/sequences.ts";
import { operation } from "../values/signature.ts";
import { type Args, type Host, Method, type Operation } from "../values/thing.ts";
import { kindOf, Tuple, tupleOf, type Value } from "../values/value.ts";
import { DICT_METHODS, LIST_METHODS, SEQUENCE_METHODS } from "./collection-methods.ts";
import { STRING_CHECKS } from "./string-checks.ts";
import { STRING_METHODS } from "./string-methods.ts";

type Methods = ReadonlyMap<string, Operation>;

const STRINGS: Methods = new Map([...STRING_METHODS, ...STRING_CHECKS]);
const LISTS: Methods = new Map([...SEQUENCE_METHODS, ...LIST_METHODS]);

export function methodOf(value: Value, name: string): Method | undefined {
  const method = methodsOf(value)?.get(name);
  if (!method) return undefined;
  if (value instanceof Markup)
    return new Method(name, value, (args, host) => onMarkup(value, name, method, args, host));
  return new Method(name, value, (args, host) => method(value, args, host));
}

export function methodNames(value: Value): readonly string[] {
  return [...(methodsOf(value)?.keys() ?? [])];
}

function methodsOf(value: Value): Methods | undefined {
  if (textOf(value) !== undefined) return STRINGS;
  if (Array.isArray(value)) return value instanceof Tuple ? SEQUENCE_METHODS : LISTS;
  if (isDictionary(value)) return DICT_METHODS;
  const kind = kindOf(value);
  if (kind === "float") return FLOAT_METHODS;
  return kind === "int" || kind === "boolean" ? INT_METHODS : undefined;
}

/** From which argument on what goes into safe text is escaped. */
const ESCAPED_FROM: ReadonlyMap<string, number> = new Map([
  ["replace", 1],
  ["join", 0],
  ["format", 0],
]);

/** Safe text stays safe: what goes in is escaped, what comes out is marked. */
function onMarkup(value: Markup, name: string, method: Operation, args: Args, host: Host): Value {
  const from = ESCAPED_FROM.get(name) ?? Number.POSITIVE_INFINITY;
  const escaped = (item: Value): Value => {
    if (typeof item === "string") return escapeHtml(item);
    return Array.isArray(item) ? item.map(escaped) : item;
  };
  const positional = args.positional.map((item, i) => (i < from ? item : escaped(item)));
  const named = new Map(Array.from(args.named, ([key, item]) => [key, name === "format" ? escaped(item) : item]));
  const result = method(value.text, { ...args, positional, named }, host);
  if (typeof result === "string") return new Markup(result);
  if (!Array.isArray(result)) return result;
  const parts = result.map((part: Value) => (typeof part === "string" ? new Markup(part) : part));
  return result instanceof Tuple ? tupleOf(parts) : list(parts);
}

const FLOAT_METHODS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["is_integer", operation([], (input) => Number.isInteger(numberOf(input)))],
]);

const INT_METHODS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    "bit_length",
    operation([], (input) => {
      const n = BigInt(intOf(input) ?? 0);
      return n === 0n ? 0 : (n < 0n ? -n : n).toString(2).length;
    }),
  ],
]);
