// How a field of a step becomes a value: the one place where steps meet the template engine.
// `{{ x }}` alone gives the value of x; text around an expression is coerced; nothing else changes type.
import { placedInText } from "../template/error.ts";
import { type Context, coerce, compile, type Loader } from "../template/index.ts";

/** What happens to text without any expression: read as a value (`"42"` is 42), or kept as it is written (`"01234"`). */
export type PlainText = "coerced" | "kept";

/** Most texts of a workflow have no tag at all; they are what they are. */
const isPlain = (source: string): boolean => !source.includes("{{") && !source.includes("{%") && !source.includes("{#");

export function renderText(source: string, names: Context, loader?: Loader): string {
  if (isPlain(source)) return source;
  try {
    return compile(source).render(names, { loader });
  } catch (error) {
    throw placedInText(error, source);
  }
}

/** Renders every template in a value of any shape. Keys of mappings are not templates. */
export function renderValue(value: unknown, names: Context, plainText: PlainText): unknown {
  if (typeof value === "string") return renderString(value, names, plainText);
  if (Array.isArray(value)) return value.map((item) => renderValue(item, names, plainText));
  if (typeof value === "object" && value !== null)
    return renderMapping(value as Record<string, unknown>, names, plainText);
  return value;
}

export function renderMapping(
  mapping: Readonly<Record<string, unknown>>,
  names: Context,
  plainText: PlainText,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, renderValue(value, names, plainText)]));
}

export function renderTexts(mapping: Readonly<Record<string, string>>, names: Context): Record<string, string> {
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, renderText(value, names)]));
}

function renderString(source: string, names: Context, plainText: PlainText): unknown {
  if (isPlain(source)) return plainText === "coerced" ? coerce(source) : source;
  try {
    const template = compile(source);
    return template.hasExpressions || plainText === "coerced" ? template.value(names) : template.render(names);
  } catch (error) {
    throw placedInText(error, source);
  }
}
