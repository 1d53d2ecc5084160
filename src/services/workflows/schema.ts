// `segno schema`: the JSON Schema of the language, of one type of step, and of results.
import { jsonSchema } from "../../language/json-schema.ts";
import type { Extensions } from "../session/extensions.ts";

export { NODE_TYPES, nodeSchema } from "../../language/json-schema.ts";

/** With the step types that plugins bring. */
export const languageSchema = ({ stepTypes }: Extensions = {}): unknown => jsonSchema(stepTypes);

export async function schemaOfResult(): Promise<unknown> {
  const { resultJsonSchema } = await import("../../results/schema.ts");
  return resultJsonSchema();
}
