// The items of a for_each: the list that `source` names, and the key of each item.
import { raised } from "../../base/errors/index.ts";
import { parseJson } from "../../base/json/bounded.ts";
import type { ForEachGroup } from "../../language/schema/index.ts";
import { BadValue } from "../../steps/step-type.ts";
import { renderValue } from "../../steps/values.ts";
import { compile, type Scope } from "../../template/index.ts";

export interface Item {
  readonly value: unknown;
  readonly key: string;
}

export function itemsOf(group: ForEachGroup, scope: Scope): readonly Item[] {
  const { source } = group;
  let list = renderValue(source.includes("{{") ? source : `{{ ${source} }}`, scope, "kept");
  if (typeof list === "string") list = parsed(list);
  if (!Array.isArray(list))
    throw new BadValue("source", list, `the source of ${group.name} (${source}) must be a list`);
  const items = list.map((value, index) => ({ value, key: keyOf(group, value) ?? String(index) }));
  refuseTwins(group, items);
  return items;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** `key_by: id` and `key_by: kpi.id` both work: Conductor's documentation writes the second, its code reads the first. */
function keyOf(group: ForEachGroup, item: unknown): string | undefined {
  if (!group.key_by) return undefined;
  const path = group.key_by.split(".");
  if (path.length > 1 && path[0] === group.as) path.shift();
  let value = item;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  // As Python prints it, since templates say `<group>.outputs['True']`.
  return compile("{{ value }}").render({ value });
}

/** What to say when `key_by` finds nothing in an item: its index stands for the key then, as in Conductor, but not silently. */
export function aboutKeyless(group: ForEachGroup, items: readonly Item[]): string | undefined {
  const { key_by, name } = group;
  if (!key_by) return undefined;
  const first = items.findIndex(({ value }) => keyOf(group, value) === undefined);
  if (first === -1) return undefined;
  const count = items.filter(({ value }) => keyOf(group, value) === undefined).length;
  const which = count === items.length ? "any item" : `${count} of ${items.length} items (item ${first} is the first)`;
  const isPlain = typeof items[first]?.value !== "object" || items[first]?.value === null;
  const why = isPlain ? `; key_by names a field of an item, and item ${first} is a plain value without fields` : "";
  return `key_by (${key_by}) of ${name} finds nothing in ${which}, so their index is their key${why}`;
}

function refuseTwins(group: ForEachGroup, items: readonly Item[]): void {
  const seen = new Map<string, number>();
  for (const [index, { key }] of items.entries()) {
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      const message = `items ${earlier} and ${index} of ${group.name} have the same key ${JSON.stringify(key)}: key_by (${group.key_by}) must name each item differently`;
      throw new BadValue(
        "key_by",
        key,
        "each item must have a key of its own",
        raised("internal.bad_value", message, {
          field: "key_by",
          value: key,
          expected: "a different key for each item",
        }),
      );
    }
    seen.set(key, index);
  }
}
