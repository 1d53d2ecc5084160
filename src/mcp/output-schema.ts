// What a tool's answer looks like, in few words: every client reads these with the list of tools, and most put them
// before a model. They say what an agent looks at; the whole of it is `schema_get` with `of: result`.
export type ObjectSchema = { readonly type: "object" } & Readonly<Record<string, unknown>>;

type Properties = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const flag = { type: "boolean" };
const maybeText = { type: ["string", "null"] };
const maybeObject = { type: ["object", "null"] };
const entries = { type: "array", items: { type: "object" } };

/** What every answer begins with. */
const HEAD: Properties = {
  success: flag,
  exit_code: { type: ["integer", "null"] },
  error: maybeText,
  errors: entries,
  warnings: entries,
};

const TROUBLES = {
  type: "array",
  items: {
    type: "object",
    properties: { node_id: maybeText, kind: maybeText, message: text, fixable: flag, retryable: flag, hint: text },
  },
};

/** Of the head what tells whether it went well, with a part of its own. */
export const headOutput = (part: Properties): ObjectSchema => ({
  type: "object",
  properties: { success: flag, error: maybeText, errors: entries, ...part },
  required: ["success"],
});

/** A run's result. More keys are allowed, since some tools add to it. */
export const resultOutput = (): ObjectSchema => ({
  type: "object",
  properties: {
    ...HEAD,
    errors: TROUBLES,
    status: text,
    run_id: maybeText,
    output: {},
    checkpoint: maybeObject,
    execution: maybeObject,
    gate: maybeObject,
  },
  required: ["success", "errors", "status", "run_id", "output"],
});

export const arrayOf = (description: string, properties?: Properties) => ({
  type: "array",
  description,
  items: { type: "object", ...(properties ? { properties } : {}) },
});
