// `segno schema`: the JSON Schema of the language, and of results.
import { jsonSchema } from "../language/json-schema.ts";

export const languageSchema = (): unknown => jsonSchema();

export async function resultSchema(): Promise<unknown> {
  const { resultJsonSchema } = await import("../results/schema.ts");
  return resultJsonSchema();
}
