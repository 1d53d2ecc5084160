import { fail } from "../error.ts";
import { spendItems } from "../limits.ts";
import { charsOf, lengthOf } from "./characters.ts";
import { isDictionary, keysOf, sizeOf } from "./dict.ts";
import { textOf } from "./markup.ts";
import { Generator, Range, View } from "./sequences.ts";
import { Method } from "./thing.ts";
import { Nothing, raiseUndefined, Undefined } from "./undefined.ts";
import { aTypeWord, typeWord, type Value } from "./value.ts";

/** What a `for` walks over, or undefined for what cannot be walked. */
export function iterableOf(value: Value): Iterable<Value> | undefined {
  if (Array.isArray(value)) return value;
  const text = textOf(value);
  if (text !== undefined) {
    spendItems(text.length);
    return charsOf(text);
  }
  if (isDictionary(value)) return keysOf(value);
  if (value instanceof View) return value.items();
  if (value instanceof Range || value instanceof Generator) return value;
  if (value instanceof Nothing) return [];
  return value instanceof Undefined ? raiseUndefined(value) : undefined;
}

export function iterate(value: Value): Iterable<Value> {
  if (value instanceof Method) return raiseMethod(value);
  return iterableOf(value) ?? fail("type", `${aTypeWord(value)} cannot be walked through; a list or mapping can.`);
}

/** All items as an array: the value itself if it is one. */
export function itemsOf(value: Value): readonly Value[] {
  const items = iterate(value);
  return Array.isArray(items) ? items : Array.from(items);
}

/** Python's len(), or undefined for what has none. */
function countItems(value: Value): number | undefined {
  if (Array.isArray(value)) return value.length;
  const text = textOf(value);
  if (text !== undefined) return lengthOf(text);
  if (isDictionary(value)) return sizeOf(value);
  if (value instanceof View) return value.items().length;
  if (value instanceof Range) return value.length;
  if (value instanceof Nothing) return 0;
  return value instanceof Undefined ? raiseUndefined(value) : undefined;
}

export function length(value: Value): number {
  const count = countItems(value);
  if (count !== undefined) return count;
  if (value instanceof Method) return raiseMethod(value);
  const hint = value instanceof Generator ? "; put '| list' before it" : "";
  return fail("type", `${aTypeWord(value)} has no length${hint}.`);
}

/**
 * `{{ input.items }}` where there is no key `items` finds the method of that name. A method is never what was meant:
 * the key is missing, and that is what the error says.
 */
export function raiseMethod({ name, owner }: Method): never {
  const available = isDictionary(owner) ? keysOf(owner).map(String) : [];
  const what = isDictionary(owner) ? `There is no key '${name}'; the method of that name` : `The method '${name}'`;
  return raiseUndefined(
    new Undefined({
      missing: name,
      parentType: typeWord(owner),
      available: () => available,
      message: `${what} must be called: ${name}().`,
    }),
  );
}
