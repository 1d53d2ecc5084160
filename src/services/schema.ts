// `segno schema`: the JSON Schema of the language, of one type of step, and of results.
import { jsonSchema } from "../language/json-schema.ts";

export { NODE_TYPES, type NodeType, nodeSchema } from "../language/json-schema.ts";

export const languageSchema = (): unknown => jsonSchema();

export async function schemaOfResult(): Promise<unknown> {
  const { resultJsonSchema } = await import("../results/schema.ts");
  return resultJsonSchema();
}
