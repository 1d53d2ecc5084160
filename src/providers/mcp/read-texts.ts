// Texts of a tool's arguments, read as what the tool's `inputSchema` asks for there: `"105"` is 105 for a number.
import { isMapping } from "../../base/errors/mapping.ts";
import { readYaml } from "../../steps/read-yaml.ts";
import { readNumber } from "../../template/coerce.ts";

type Mapping = Readonly<Record<string, unknown>>;

/** Whether there is a text in it at all, at any depth. */
export const hasText = (value: unknown): boolean =>
  typeof value === "string" || (typeof value === "object" && value !== null && Object.values(value).some(hasText));

/** A text that does not fit stays text: the server then says what it misses. */
export function readTexts(schema: unknown, value: unknown): unknown {
  if (!isMapping(schema)) return value;
  if (typeof value === "string") return readText(typesOf(schema), value);
  if (Array.isArray(value)) return value.map((item) => readTexts(schema.items, item));
  if (!isMapping(value)) return value;
  const properties = isMapping(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      readTexts(Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties, one),
    ]),
  );
}

/** What a value may be; empty if the schema does not say it. */
function typesOf(schema: Mapping): readonly unknown[] {
  if (Array.isArray(schema.type)) return schema.type;
  if (schema.type !== undefined) return [schema.type];
  const choices = [schema.anyOf, schema.oneOf].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  const types = choices.map((choice) => (isMapping(choice) ? typesOf(choice) : []));
  return types.some((found) => found.length === 0) ? [] : types.flat();
}

function readText(types: readonly unknown[], text: string): unknown {
  if (text.trim() === "" || types.includes("string")) return text;
  for (const type of types) {
    const value = readAs(type, text);
    if (value !== undefined) return value;
  }
  return text;
}

function readAs(type: unknown, text: string): unknown {
  switch (type) {
    case "number":
      return readNumber(text);
    case "integer": {
      const number = readNumber(text);
      return Number.isInteger(number) ? number : undefined;
    }
    case "boolean":
      return /^\s*(?:true|false)\s*$/i.test(text) ? text.trim().toLowerCase() === "true" : undefined;
    case "null":
      return /^\s*(?:null|~)\s*$/i.test(text) ? null : undefined;
    case "array": {
      const list = readYaml(text);
      return Array.isArray(list) ? list : undefined;
    }
    case "object": {
      const mapping = readYaml(text);
      return isMapping(mapping) ? mapping : undefined;
    }
    default:
      return undefined;
  }
}
