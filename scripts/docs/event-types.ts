// src/library/event-data.ts: what each event carries, as types that need no other package. Users of the library have no zod.
import * as z from "zod";
import { EVENTS } from "../../src/events/registry.ts";

type Json = Readonly<Record<string, unknown>>;

const indented = (depth: number): string => "  ".repeat(depth);

/** The one shape that holds itself has a type of its own. */
const isEnvelope = ({ $ref, properties }: Json): boolean =>
  $ref !== undefined || (typeof properties === "object" && properties !== null && "raised_at" in properties);

function typeOf(schema: Json, depth: number): string {
  if (isEnvelope(schema)) return "Envelope";
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((one: Json) => typeOf(one, depth)).join(" | ");
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array": {
      const item = typeOf(schema.items as Json, depth);
      return item.includes("|") ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case "object":
      return schema.properties
        ? objectOf(schema, depth)
        : `Readonly<Record<string, ${typeOf((schema.additionalProperties ?? {}) as Json, depth)}>>`;
    default:
      return "unknown";
  }
}

function objectOf({ properties, required = [] }: Json, depth: number): string {
  const needed = required as readonly string[];
  const lines = Object.entries(properties as Readonly<Record<string, Json>>).map(([name, schema]) => {
    const type = typeOf(schema, depth + 1);
    const field = needed.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
    return `${indented(depth + 1)}readonly ${field.replace("unknown | undefined", "unknown")};`;
  });
  return lines.length === 0 ? "Readonly<Record<string, never>>" : `{\n${lines.join("\n")}\n${indented(depth)}}`;
}

export function eventTypes(): string {
  const fields = Object.entries(EVENTS).map(([type, { description, data }]) => {
    const schema = z.toJSONSchema(data, { io: "input", unrepresentable: "any" }) as Json;
    return `  /** ${description} */\n  readonly ${type}: ${typeOf(schema, 1)};`;
  });
  return `// biome-ignore-all format: written by \`npm run docs\` from src/events/registry.ts. Do not edit.
// What each event carries, for users of the library.
import type { Envelope } from "../errors/index.ts";

export interface EventData {
${fields.join("\n")}
}
`;
}
