// The language for its readers: its JSON Schema (`segno schema`), and reference texts for authors without the documentation
// at hand.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "../../base/errors/index.ts";
import { jsonSchema } from "../../language/json-schema.ts";
import { STEP_TYPES } from "../../language/schema/index.ts";
import type { Extensions } from "../session/extensions.ts";
import { packageFolder } from "../session/home.ts";

export { NODE_TYPES, nodeSchema } from "../../language/json-schema.ts";

/** With the step types that plugins bring. */
export const languageSchema = ({ stepTypes }: Extensions = {}): unknown => jsonSchema(stepTypes);

export async function schemaOfResult(): Promise<unknown> {
  const { resultJsonSchema } = await import("../../base/results/schema.ts");
  return resultJsonSchema();
}

/** A page of docs/ as it came with the program; nothing when this copy has none. */
function page(name: string): string | undefined {
  const folder = packageFolder();
  if (folder === undefined) return undefined;
  const file = join(folder, "docs", name);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

export const cheatSheet = (): string => page("cheat-sheet.md") ?? generatedReference();

export const languageReference = (): string => page("reference.md") ?? generatedReference();

export function kindsReference(): string {
  const rows = [...KINDS.values()].map(
    ({ kind, when, optIn, details, category, fixable, retryable, owner }) =>
      `| \`${kind}\` | ${when}${optIn ? OPT_IN : ""} | ${details.map((name) => `\`${name}\``).join(", ")} | ${category} | ${yes(fixable)} | ${yes(retryable)} | ${owner} |`,
  );
  return [
    "# Kinds of errors that the engine raises",
    "",
    "Any other dotted kind is an author's: a change of the workflow may fix it, and it is retried only where a route says so.",
    "",
    "| kind | raised when | details | category | fixable | retryable | owner |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

const OPT_IN = "; in a file with `agents:` only where the step has `raises` or an error route";

const yes = (fact: boolean): string => (fact ? "yes" : "no");

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
}

/** From the schema itself, so that it cannot say what files may not. */
function generatedReference(): string {
  const { properties = {} } = jsonSchema() as Described;
  const steps = Object.entries(STEP_TYPES).flatMap(([type, { schema, description }]) => [
    `### \`type: ${type}\``,
    "",
    `It ${description}.`,
    "",
    ...Object.entries(schema().shape).map(([name, field]) => `- \`${name}\`: ${textOf(field)}`),
    "",
  ]);
  return [
    "# The language",
    "",
    "A workflow file is YAML with these keys:",
    "",
    ...Object.entries(properties).map(([name, { description = "" }]) => `- \`${name}\`: ${description}`),
    "",
    "## `workflow:`",
    "",
    ...Object.entries(properties.workflow?.properties ?? {}).map(
      ([name, { description = "" }]) => `- \`${name}\`: ${description}`,
    ),
    "",
    "## Step types",
    "",
    ...steps,
  ].join("\n");
}

const textOf = (field: unknown): string => (field as { readonly description?: string }).description ?? "";
