// The first question about every value that comes from outside: are there fields to read?

export type Mapping = Readonly<Record<string, unknown>>;

/** JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Mapping;

export const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
