// src/library/workflow/fields.ts: what each type of step, and a workflow, can be given in code, as types that need no other
// package. Where a file takes a text, code may also give a reference; where a file takes anything, references at any depth.
import * as z from "zod";
import { forEachFrame, parallelGroup } from "../../src/language/schema/groups.ts";
import { STEP_TYPES } from "../../src/language/schema/index.ts";
import { workflowSection } from "../../src/language/schema/workflow-section.ts";
import { route } from "../../src/steps/schema/route.ts";

type Json = Readonly<Record<string, unknown>>;

/** What code says in another way: names and routes by the builder, schemas by those of any library. */
const ELSEWHERE: ReadonlySet<string> = new Set(["name", "type", "routes", "raises", "output", "workflow", "agents"]);
const OF_SECTION: ReadonlySet<string> = new Set(["name", "entry_point", "input", "error_routes"]);
const OF_ROUTE: ReadonlySet<string> = new Set(["on_error", "when", "to", "halt", "propagate"]);

const refs = new Map<string, Json>();

function typeOf(schema: Json, depth: number): string {
  const { $ref, anyOf, enum: values, type } = schema;
  if (typeof $ref === "string") return typeOf(refs.get($ref.replace(/.*\//, "")) ?? {}, depth);
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((one: Json) => typeOf(one, depth)))].join(" | ");
  if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(" | ");
  switch (type) {
    case "string":
      return schema.const === undefined ? "Text" : JSON.stringify(schema.const);
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array": {
      const item = typeOf((schema.items ?? {}) as Json, depth);
      return item.includes("|") ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case "object":
      return schema.properties
        ? objectOf(schema, depth)
        : `Readonly<Record<string, ${typeOf((schema.additionalProperties ?? {}) as Json, depth)}>>`;
    default:
      return "Value";
  }
}

const indented = (depth: number): string => "  ".repeat(depth);

function objectOf({ properties, required = [] }: Json, depth: number, left: ReadonlySet<string> = new Set()): string {
  const needed = required as readonly string[];
  const lines = Object.entries(properties as Readonly<Record<string, Json>>)
    .filter(([name, schema]) => !left.has(name) && schema.unsupported === undefined)
    .flatMap(([name, schema]) => {
      const text = `readonly ${name}${needed.includes(name) ? "" : "?"}: ${typeOf(schema, depth + 1)};`;
      const { description } = schema;
      return [...(typeof description === "string" ? [`/** ${description.replaceAll("*/", "*\\/")} */`] : []), text].map(
        (line) => `${indented(depth + 1)}${line}`,
      );
    });
  return lines.length === 0 ? "Readonly<Record<string, never>>" : `{\n${lines.join("\n")}\n${indented(depth)}}`;
}

function interfaceOf(name: string, schema: z.ZodType, left: ReadonlySet<string>): string {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json;
  refs.clear();
  for (const [key, one] of Object.entries((json.$defs ?? {}) as Readonly<Record<string, Json>>)) refs.set(key, one);
  // A schema with an id of its own is a reference to itself.
  const [named] = typeof json.$ref === "string" ? [refs.get(json.$ref.replace(/.*\//, ""))] : [];
  return `export interface ${name} ${objectOf(named ?? json, 0, left)}\n`;
}

const capital = (type: string): string => type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function stepTypes(): string {
  const parts = [
    ...Object.entries(STEP_TYPES).map(([type, { schema }]) =>
      interfaceOf(`${capital(type)}Fields`, schema(), ELSEWHERE),
    ),
    interfaceOf("ParallelFields", parallelGroup(), ELSEWHERE),
    interfaceOf("ForEachFields", forEachFrame(), new Set([...ELSEWHERE, "as", "source"])),
    interfaceOf("SectionFields", workflowSection(), OF_SECTION),
    interfaceOf("RouteFields", route, OF_ROUTE),
  ];
  return `// biome-ignore-all format: written by \`npm run docs\` from src/language/schema. Do not edit.
// What each type of step, and a workflow, can be given in code. The names are those of workflow files.
import type { Text, Value } from "./ref.ts";

${parts.join("\n")}`;
}
