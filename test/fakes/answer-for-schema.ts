// A minimal value that fits a JSON Schema, so that a fake model can answer any agent of any workflow.

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const numberOr = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback);

/** The first alternative of an `anyOf` is taken: in *output or envelope* that is the output. */
export function answerForSchema(schema: Schema | undefined): unknown {
  if (!schema) return "ok";
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const [first] = Array.isArray(schema[key]) ? schema[key] : [];
    if (isObject(first)) return answerForSchema(first);
  }
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  switch (type) {
    case "object": {
      const properties = isObject(schema.properties) ? schema.properties : {};
      const entries = Object.entries(properties).map(([name, child]) => [
        name,
        answerForSchema(isObject(child) ? child : undefined),
      ]);
      return Object.fromEntries(entries);
    }
    case "array": {
      const items = isObject(schema.items) ? schema.items : undefined;
      return Array.from({ length: Math.max(1, numberOr(schema.minItems, 1)) }, () => answerForSchema(items));
    }
    case "number":
    case "integer":
      return numberOr(schema.minimum, Math.min(1, numberOr(schema.maximum, 1)));
    case "boolean":
      return true;
    case "null":
      return null;
    default: {
      const text = typeof schema.description === "string" ? schema.description : "ok";
      return text.padEnd(numberOr(schema.minLength, 0), ".").slice(0, numberOr(schema.maxLength, 200));
    }
  }
}
