// from-schemas.ts of the library as the package declares it: what events carry and what steps can be given in code, written out
// with the descriptions of all fields. Editors show that; the computed types of the source would need the schema library.
import { posix } from "node:path";
import * as z from "zod";
import { EVENTS } from "../../src/base/events/registry.ts";
import { forEachFrame, parallelGroup, STEP_TYPES } from "../../src/language/schema/index.ts";
import { workflowSection } from "../../src/language/schema/workflow-section.ts";
import { route } from "../../src/steps/schema/fields.ts";
import { FROM_SCHEMAS } from "../places.mjs";

type Json = Readonly<Record<string, unknown>>;

/** What stands for a text and for anything, and what a field that may be left out has after its type. */
interface Words {
  readonly text: string;
  readonly any: string;
  readonly leftOut: string;
}

const OF_EVENTS: Words = { text: "string", any: "unknown", leftOut: " | undefined" };
/** Where a file takes a text, code may also give a reference; where a file takes anything, references at any depth. */
const OF_CODE: Words = { text: "Text", any: "Value", leftOut: "" };

/** What code says in another way: names and routes by the builder, schemas by those of any library. */
const ELSEWHERE = ["name", "type", "routes", "raises", "output", "workflow", "agents"];

const indented = (depth: number): string => "  ".repeat(depth);
const comment = (text: string): string => `/** ${text.replaceAll("*/", "*\\/")} */`;

/** The fields of an object, without those that are left to others and those that only name what Segno does not have. */
function fieldsOf(schema: z.ZodType, words: Words, depth = 0, left: readonly string[] = []): string {
  const whole = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json;
  const named = (whole.$defs ?? {}) as Readonly<Record<string, Json>>;
  const resolved = (one: Json): Json =>
    typeof one.$ref === "string" ? (named[one.$ref.replace(/.*\//, "")] ?? {}) : one;

  const typeOf = (given: Json, at: number): string => {
    const { anyOf, enum: values, const: only, type, items, properties, additionalProperties } = resolved(given);
    if (isMapping(properties) && "raised_at" in properties) return "Envelope";
    if (Array.isArray(anyOf)) return [...new Set(anyOf.map((one: Json) => typeOf(one, at)))].join(" | ");
    if (Array.isArray(type)) return type.map((one) => typeOf({ ...resolved(given), type: one }, at)).join(" | ");
    if (only !== undefined) return JSON.stringify(only);
    if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(" | ");
    switch (type) {
      case "string":
        return words.text;
      case "boolean":
      case "null":
        return type;
      case "number":
      case "integer":
        return "number";
      case "array": {
        const item = typeOf((items ?? {}) as Json, at);
        return item.includes("|") ? `readonly (${item})[]` : `readonly ${item}[]`;
      }
      case "object":
        if (isMapping(properties)) return objectOf(resolved(given), at);
        return `Readonly<Record<string, ${typeOf((additionalProperties ?? {}) as Json, at)}>>`;
      default:
        return words.any;
    }
  };

  /** Whether Segno has neither the field nor any of those in it. */
  const isWithoutEffect = (field: Json): boolean => {
    const inner = Object.values((resolved(field).properties ?? {}) as Readonly<Record<string, Json>>);
    return field.unsupported !== undefined || (inner.length > 0 && inner.every(isWithoutEffect));
  };

  const objectOf = ({ properties, required = [] }: Json, at: number, without: readonly string[] = []): string => {
    const lines = Object.entries(properties as Readonly<Record<string, Json>>)
      .filter(([name, field]) => !without.includes(name) && !isWithoutEffect(field))
      .flatMap(([name, field]) => {
        const type = typeOf(field, at + 1);
        const isNeeded = (required as readonly string[]).includes(name);
        const end = isNeeded || type === "unknown" ? "" : words.leftOut;
        const text = `readonly ${name}${isNeeded ? "" : "?"}: ${type}${end};`;
        return typeof field.description === "string" ? [comment(field.description), text] : [text];
      });
    if (lines.length === 0) return "Readonly<Record<string, never>>";
    return `{\n${lines.map((line) => `${indented(at + 1)}${line}`).join("\n")}\n${indented(at)}}`;
  };

  // A schema with an id of its own is a reference to itself.
  return objectOf(resolved(whole), depth, left);
}

const isMapping = (value: unknown): value is Json => typeof value === "object" && value !== null;

const capital = (type: string): string => type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const fieldsType = (name: string, schema: z.ZodType, left: readonly string[]): string =>
  `export interface ${name} ${fieldsOf(schema, OF_CODE, 0, left)}\n`;

/** The path of a file as the one that is written here imports it. */
function seenFromIt(file: string): string {
  const path = posix.relative(posix.dirname(FROM_SCHEMAS.file), file);
  return path.startsWith(".") ? path : `./${path}`;
}

export function declarations(): string {
  const events = Object.entries(EVENTS).map(
    ([type, { description, data }]) =>
      `  ${comment(description)}\n  readonly ${type}: ${fieldsOf(data, OF_EVENTS, 1)};`,
  );
  const names = ["workflow", "result", ...Object.keys(STEP_TYPES), "parallel", "for_each"];
  return [
    `import type { Envelope } from "${seenFromIt(FROM_SCHEMAS.errors)}";`,
    `import type { Text, Value } from "${seenFromIt(FROM_SCHEMAS.references)}";\n`,
    `/** What each event carries. */\nexport interface EventData {\n${events.join("\n")}\n}\n`,
    "/** What has a JSON Schema: whole files, results, each type of step, and the groups. */",
    `export type SchemaName = ${[...new Set(names)].map((name) => JSON.stringify(name)).join(" | ")};\n`,
    ...Object.entries(STEP_TYPES).map(([type, { schema }]) =>
      fieldsType(`${capital(type)}Fields`, schema(), ELSEWHERE),
    ),
    fieldsType("ParallelFields", parallelGroup(), ELSEWHERE),
    fieldsType("ForEachFields", forEachFrame(), [...ELSEWHERE, "as", "source"]),
    fieldsType("SectionFields", workflowSection(), ["name", "entry_point", "input", "error_routes"]),
    fieldsType("RouteFields", route, ["on_error", "when", "to", "halt", "propagate"]),
  ].join("\n");
}
