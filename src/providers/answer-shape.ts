// Bends a JSON Schema into what the APIs take: an object at the root, closed objects where they can be closed.
// An *output or envelope* schema is an `anyOf`, which no API takes at the root, so it travels inside a wrapper.
import { isMapping, type JsonSchema } from "../errors/mapping.ts";

/** Not a name that an author would give a field: an answer that has it is the wrapper. */
const WRAPPER_KEY = "answer_or_error";

export interface ShapedSchema {
  readonly schema: JsonSchema;
  readonly wrapped: boolean;
  /** Fits the subset that OpenAI's strict mode takes. */
  readonly strict: boolean;
}

const isPlainRoot = (schema: JsonSchema): boolean =>
  schema.type === "object" && !("anyOf" in schema || "oneOf" in schema || "allOf" in schema || "not" in schema);

export function shapeForApi(schema: JsonSchema): ShapedSchema {
  const closed = close(schema) as JsonSchema;
  const wrapped = !isPlainRoot(schema);
  const shaped = wrapped
    ? { type: "object", properties: { [WRAPPER_KEY]: closed }, required: [WRAPPER_KEY], additionalProperties: false }
    : closed;
  return { schema: shaped, wrapped, strict: isStrict(shaped) };
}

/** The answer without its wrapper; as it is when the model did not use the wrapper. */
export const unwrapped = (answer: unknown): unknown =>
  isMapping(answer) && WRAPPER_KEY in answer ? answer[WRAPPER_KEY] : answer;

/** Says of every object with known properties that it has no others: models then do not invent any. */
function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (!isMapping(node)) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "enum" || key === "const" || key === "default" || key === "examples") copy[key] = value;
    else if (key === "properties" && isMapping(value))
      copy[key] = Object.fromEntries(Object.entries(value).map(([name, child]) => [name, close(child)]));
    else copy[key] = close(value);
  }
  if (isMapping(copy.properties) && !("additionalProperties" in copy)) copy.additionalProperties = false;
  return copy;
}

const STRICT_KEYWORDS = new Set([
  "type",
  "properties",
  "required",
  "items",
  "enum",
  "const",
  "description",
  "title",
  "anyOf",
  "additionalProperties",
]);

/** Fits the subset that OpenAI takes. */
export function isStrict(node: unknown): boolean {
  if (!isMapping(node)) return true;
  if (Object.keys(node).some((key) => !STRICT_KEYWORDS.has(key))) return false;
  const mayBeObject = node.type === "object" || (Array.isArray(node.type) && node.type.includes("object"));
  if (mayBeObject) {
    if (!isMapping(node.properties) || node.additionalProperties !== false) return false;
    const required = new Set(Array.isArray(node.required) ? node.required : []);
    if (Object.keys(node.properties).some((name) => !required.has(name))) return false;
  }
  const children = [
    ...(isMapping(node.properties) ? Object.values(node.properties) : []),
    ...(Array.isArray(node.anyOf) ? node.anyOf : []),
    ...(isMapping(node.items) ? [node.items] : []),
  ];
  return children.every(isStrict);
}

/** For providers without structured output, and beside it for servers that may ignore it. */
export const schemaInstruction = (schema: JsonSchema): string =>
  `Answer with one JSON value that fits this JSON Schema, and with nothing else: no prose before or after it.\n\n${JSON.stringify(schema)}`;
