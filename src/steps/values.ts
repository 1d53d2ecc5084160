// How a field of a step becomes a value: the one place where steps meet the template engine.
// `{{ x }}` alone gives the value of x; text around an expression is coerced; nothing else changes type.
// A type that the field declares wins over coercion.
import { isMapping } from "../base/errors/mapping.ts";
import { parseJson } from "../base/json/bounded.ts";
import { readNumber } from "../template/coerce.ts";
import { placedInText } from "../template/error.ts";
import { type Context, coerce, compile, type Loader } from "../template/index.ts";
import { hasTags } from "../template/template.ts";
import { floatText } from "../template/values/float.ts";
import type { FieldType } from "./schema/fields.ts";

/** What happens to text without any expression: read as a value (`"42"` is 42), or kept as it is written (`"01234"`). */
export type PlainText = "coerced" | "kept";

export function isTemplated(value: unknown): boolean {
  if (typeof value === "string") return value.includes("{{") || value.includes("{%");
  return typeof value === "object" && value !== null && Object.values(value).some(isTemplated);
}

export function renderText(source: string, names: Context, loader?: Loader): string {
  if (!hasTags(source)) return source;
  return rendering(source, () => compile(source).render(names, { loader }));
}

/** Renders every template in a value of any shape. Keys of mappings are not templates. */
export function renderValue(value: unknown, names: Context, plainText: PlainText): unknown {
  if (typeof value === "string") return renderString(value, names, plainText);
  if (Array.isArray(value)) return value.map((item) => renderValue(item, names, plainText));
  if (typeof value === "object" && value !== null)
    return renderMapping(value as Record<string, unknown>, names, plainText);
  // YAML's `.inf` as templates give it: no journal holds such a number.
  return typeof value === "number" && !Number.isFinite(value) ? floatText(value) : value;
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
  if (!hasTags(source)) return plainText === "coerced" ? coerce(source) : source;
  return rendering(source, () => {
    const template = compile(source);
    return template.hasExpressions || plainText === "coerced" ? template.value(names) : template.render(names);
  });
}

function rendering<Value>(source: string, render: () => Value): Value {
  try {
    return render();
  } catch (error) {
    throw placedInText(error, source);
  }
}

/** A field that says what its value is; `properties` and `items` say it of what is inside. */
export interface DeclaredField {
  readonly type: FieldType;
  readonly properties?: Readonly<Record<string, DeclaredField | undefined>> | undefined;
  readonly items?: DeclaredField | undefined;
}

/**
 * Where a string is declared, text is not read as anything else, and a number or boolean of a template is its text; for other
 * types text is read as `-i` reads it. What cannot be of that type stays what it is: the check of the field reports it.
 */
function renderAs(field: DeclaredField, value: unknown, names: Context, plainText: PlainText): unknown {
  const { type, properties, items } = field;
  if (typeof value === "string") return renderTextAs(type, value, names, plainText);
  if (Array.isArray(value) && items) return value.map((item) => renderAs(items, item, names, plainText));
  if (isMapping(value) && properties) return renderFields(properties, value, names, plainText);
  return renderValue(value, names, plainText);
}

export function renderFields(
  fields: Readonly<Record<string, DeclaredField | undefined>>,
  mapping: Readonly<Record<string, unknown>>,
  names: Context,
  plainText: PlainText,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(mapping).map(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return [name, field ? renderAs(field, value, names, plainText) : renderValue(value, names, plainText)];
    }),
  );
}

function renderTextAs(type: FieldType, source: string, names: Context, plainText: PlainText): unknown {
  if (type !== "string") {
    const value = renderString(source, names, plainText);
    return typeof value === "string" ? readAsDeclared(value, type) : value;
  }
  if (!hasTags(source)) return source;
  return rendering(source, () => {
    const template = compile(source);
    const value = template.uncoerced(names);
    return typeof value === "number" || typeof value === "boolean" ? template.render(names).trim() : value;
  });
}

/** The one reading of text for a declared type, of `-i` or of a template. What does not fit stays text, and is refused later. */
export function readAsDeclared(text: string, type: FieldType): unknown {
  switch (type) {
    case "string":
      return text;
    case "number":
      return readNumber(text) ?? text;
    case "boolean":
      return BOOLEANS.get(text.trim().toLowerCase()) ?? text;
    case "array":
    case "object":
      return parsedContainer(text);
    default:
      return type satisfies never;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

/** `1.10` is JSON, too, and no list. */
function parsedContainer(text: string): unknown {
  try {
    const value: unknown = parseJson(text);
    return typeof value === "object" ? value : text;
  } catch {
    return text;
  }
}
