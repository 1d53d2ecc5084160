// The language as JSON Schema: `segno schema`, and what agents ask for over MCP.
import { jsonSchema } from "../../language/json-schema.ts";
import type { Extensions } from "../session/extensions.ts";

export { NODE_TYPES, nodeSchema } from "../../language/json-schema.ts";

/** With the step types that plugins bring. */
export const languageSchema = ({ stepTypes }: Extensions = {}): unknown => jsonSchema(stepTypes);

export async function schemaOfResult(): Promise<unknown> {
  const { resultJsonSchema } = await import("../../base/results/schema.ts");
  return resultJsonSchema();
}
