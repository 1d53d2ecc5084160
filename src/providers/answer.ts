// The shape of a model's answer: the JSON Schema that is asked for, and the JSON that is found in the text.

import { isMapping, type JsonSchema } from "../base/errors/mapping.ts";
import { parseJson, UnusableJson } from "../base/json/bounded.ts";

const FENCE = /```[a-zA-Z0-9_-]*[ \t]*\r?\n([\s\S]*?)```/g;

/** What cannot be used is thrown on: a part of it, found further inside, would be another answer. */
const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: parseJson(text) };
  } catch (problem) {
    if (problem instanceof UnusableJson) throw problem;
    return undefined;
  }
};

const isStructure = (value: unknown): boolean => typeof value === "object" && value !== null;

/** The first balanced object or list that starts at `start`, brackets inside strings aside. */
export function balanced(text: string, start: number): string | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return text.slice(start, at + 1);
    }
  }
  return undefined;
}

/** How many opening brackets are tried: prose may have a stray one, a long text must not cost a long time. */
const MOST_STARTS = 50;

function findJson(text: string): { readonly value: unknown } | undefined {
  const whole = parse(text.trim());
  if (whole) return whole;
  for (const [, inside] of text.matchAll(FENCE)) {
    const found = parse((inside ?? "").trim());
    if (found && isStructure(found.value)) return found;
  }
  let tried = 0;
  for (const { index } of text.matchAll(/[{[]/g)) {
    if (tried++ >= MOST_STARTS) return undefined;
    const candidate = balanced(text, index);
    const found = candidate === undefined ? undefined : parse(candidate);
    if (found) return found;
  }
  return undefined;
}

/** The answer as a value; the text itself when there is no JSON in it, for the step to ask again. */
export function parseAnswer(text: string, wrapped: boolean): unknown {
  let found: ReturnType<typeof findJson>;
  try {
    found = findJson(text);
  } catch {
    return text;
  }
  if (!found) return text;
  return wrapped ? unwrapped(found.value) : found.value;
}

// Bends a JSON Schema into what the APIs take: an object at the root, closed objects where they can be closed.
// An *output or envelope* schema is an `anyOf`, which no API takes at the root, so it travels inside a wrapper.

/** Not a name that an author would give a field: an answer that has it is the wrapper. */
const WRAPPER_KEY = "answer_or_error";
/** The prompt shows the error object without the wrapper. */
const ABOUT_WRAPPER = "What you answer: the output, or in its place the error object that you are told of.";

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
    ? {
        type: "object",
        properties: { [WRAPPER_KEY]: { description: ABOUT_WRAPPER, ...closed } },
        required: [WRAPPER_KEY],
        additionalProperties: false,
      }
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
