// The closed list of methods a template may call on data.

import { isMapping } from "../values/mapping.ts";
import { escapeHtml, Markup, textOf } from "../values/markup.ts";
import { type Args, Callable, type Host, type Operation } from "../values/thing.ts";
import { kindOf, Tuple, type Value } from "../values/value.ts";
import { DICT_METHODS } from "./dict-methods.ts";
import { LIST_METHODS, SEQUENCE_METHODS } from "./list-methods.ts";
import { NUMBER_METHODS } from "./number-methods.ts";
import { STRING_CHECKS } from "./string-checks.ts";
import { STRING_METHODS } from "./string-methods.ts";

type Methods = ReadonlyMap<string, Operation>;

const STRINGS: Methods = new Map([...STRING_METHODS, ...STRING_CHECKS]);
const LISTS: Methods = new Map([...SEQUENCE_METHODS, ...LIST_METHODS]);

export function methodOf(value: Value, name: string): Callable | undefined {
  const method = methodsOf(value)?.get(name);
  if (!method) return undefined;
  if (value instanceof Markup) return new Callable(name, (args, host) => onMarkup(value, method, args, host));
  return new Callable(name, (args, host) => method(value, args, host));
}

export function methodNames(value: Value): readonly string[] {
  return [...(methodsOf(value)?.keys() ?? [])];
}

function methodsOf(value: Value): Methods | undefined {
  if (textOf(value) !== undefined) return STRINGS;
  if (Array.isArray(value)) return value instanceof Tuple ? SEQUENCE_METHODS : LISTS;
  if (isMapping(value)) return DICT_METHODS;
  const kind = kindOf(value);
  return kind === "int" || kind === "float" || kind === "boolean" ? NUMBER_METHODS : undefined;
}

/** Safe text stays safe: what goes in is escaped, what comes out is marked. */
function onMarkup(value: Markup, method: Operation, args: Args, host: Host): Value {
  const escaped = (item: Value): Value => {
    if (typeof item === "string") return escapeHtml(item);
    return Array.isArray(item) ? item.map(escaped) : item;
  };
  const named = new Map(Array.from(args.named, ([name, item]) => [name, escaped(item)]));
  const result = method(value.text, { ...args, positional: args.positional.map(escaped), named }, host);
  if (typeof result === "string") return new Markup(result);
  if (!Array.isArray(result)) return result;
  return result.map((part) => (typeof part === "string" ? new Markup(part) : part));
}
