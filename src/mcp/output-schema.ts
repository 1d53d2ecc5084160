// What a tool's answer looks like, in few words: every client reads these with the list of tools, and most put them
// before a model. They say what an agent looks at.
export type ObjectSchema = { readonly type: "object" } & Readonly<Record<string, unknown>>;

const text = { type: "string" };
const flag = { type: "boolean" };
const maybeText = { type: ["string", "null"] };

/** What tells whether it went well, with a part of its own. */
export const headOutput = (part: Readonly<Record<string, unknown>>): ObjectSchema => ({
  type: "object",
  properties: { success: flag, error: maybeText, ...part },
  required: ["success"],
});

/** A run's result. More keys are allowed; the whole of it is `schema_get` with `of: result`. */
export const resultOutput = (): ObjectSchema => ({
  type: "object",
  properties: { success: flag, status: text, run_id: maybeText, output: {}, error: maybeText, errors: arrayOf() },
  required: ["success", "status", "run_id"],
});

export const arrayOf = (description?: string) => ({
  type: "array",
  ...(description === undefined ? {} : { description }),
  items: { type: "object" },
});
