// `'{name}: {0:>8.2f}'.format(…)`. Fields lead only where a template could go anyway:
// attributes and items are looked up by the engine's own rules.

import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import { MISSING } from "../scope.ts";
import { entryOf, isDictionary } from "../values/dict.ts";
import { repr, str } from "../values/repr.ts";
import type { Host } from "../values/thing.ts";
import { raiseUndefined, Undefined } from "../values/undefined.ts";
import type { Value } from "../values/value.ts";
import { formatValue } from "./format-spec.ts";

const FIELD = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/g;
const STEP = /\.([^.[\]]+)|\[([^\]]+)\]|[\s\S]/g;

/** `named` is a Map of keyword arguments, or the mapping of format_map. */
export function formatText(format: string, positional: readonly Value[], named: Value, host: Host): string {
  let automatic = 0;
  let length = format.length;
  const fieldOf = (path: string): Value => {
    const root = /^[^.[]*/.exec(path)?.[0] ?? "";
    const key = root === "" ? String(automatic++) : root;
    return follow(argument(key, positional, named), path.slice(root.length), host);
  };
  return format.replace(FIELD, (whole, path?: string, conversion?: string, spec?: string) => {
    spend(1);
    if (whole === "{{" || whole === "}}") return whole[0]!;
    if (path === undefined) return fail("type", `A single '${whole}' in a format must be doubled.`);
    const value = fieldOf(path);
    const converted = conversion === undefined ? value : conversion === "s" ? str(value) : repr(value);
    const filled = (spec ?? "").replace(/\{([^{}]*)\}/g, (_, inner: string) => str(fieldOf(inner)));
    const text = formatValue(converted, filled);
    length += text.length;
    spendText(length);
    return text;
  });
}

function argument(key: string, positional: readonly Value[], named: Value): Value {
  if (/^\d+$/.test(key)) {
    const value = positional[Number(key)];
    return value === undefined
      ? fail("type", `The format asks for value ${key}, but there are ${positional.length}.`)
      : value;
  }
  const value =
    named instanceof Map ? (named.get(key) ?? MISSING) : isDictionary(named) ? entryOf(named, key) : MISSING;
  return value === MISSING ? fail("type", `The format asks for '${key}', which is not among the values.`) : value;
}

/** As in Python, a dot in a format leads to attributes only; `{a[key]}` reads a mapping. */
function attributeOf(value: Value, name: string, host: Host): Value {
  return isDictionary(value) ? MISSING : host.attribute(value, name);
}

function follow(start: Value, path: string, host: Host): Value {
  let value = start;
  for (const [step, name, index] of path.matchAll(STEP)) {
    if (name === undefined && index === undefined) return fail("type", `'${step}' is not expected in a format.`);
    const found =
      name !== undefined
        ? attributeOf(value, name, host)
        : host.item(value, /^\d+$/.test(index!) ? Number(index) : index);
    if (found === MISSING) return fail("type", `The format asks for '${name ?? index}', which is not there.`);
    value = found;
  }
  return value instanceof Undefined ? raiseUndefined(value) : value;
}
