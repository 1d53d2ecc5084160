// `output:` of a step, held against what the step produced. Extra fields are allowed; all violations are found at once.
import { isEngineKind, parseEnvelope, type Raised, raised } from "../base/errors/index.ts";
import { isMapping } from "../base/errors/mapping.ts";
import { parseJson } from "../base/json/bounded.ts";
import type { PatternDialect, PatternTimeout } from "./patterns/search.ts";
import type { OutputField } from "./schema/fields.ts";
import type { ErrorFileContent } from "./world.ts";

export type OutputFields = Readonly<Record<string, OutputField>>;

export interface Violation {
  /** `items[2].name`; empty when the output as a whole is wrong. */
  readonly path: string;
  readonly reason: string;
  /** A value that would fit as text, or text that would fit as a string. */
  readonly keep?: "as text" | "as a string";
}

export async function violations(
  fields: OutputFields,
  output: unknown,
  dialect?: PatternDialect,
): Promise<readonly Violation[]> {
  if (!isMapping(output)) return [{ path: "", reason: `an object is expected, and it is ${typeName(output)}` }];
  if (!Object.values(fields).some(hasPattern)) return inMapping(fields, output, "", () => undefined);
  const { patternSearch } = await import("./patterns/search.ts");
  const search = await patternSearch(dialect ?? "re2");
  const findFault: FindFault = (pattern, text) => {
    const found = search.find(pattern, text);
    if (typeof found === "object") return `the pattern ${pattern} cannot be used: ${found.problem}`;
    return found === false ? `${shown(text)} does not match ${pattern}` : undefined;
  };
  const found = inMapping(fields, output, "", findFault);
  return (await search.settle()) ? inMapping(fields, output, "", findFault) : found;
}

/** A pattern that takes too long says nothing about the output, so nobody is asked for another one. */
export const isTooSlowPattern = (error: Raised): boolean => error.kind === "internal.bad_value";

/** The envelope for an output that does not fit; undefined when it does, or when nothing was declared. */
export async function schemaViolation(
  node: string,
  source: string,
  fields: OutputFields | undefined,
  output: unknown,
  { note = "", patterns }: { readonly note?: string; readonly patterns?: PatternDialect | undefined } = {},
): Promise<Raised | undefined> {
  if (fields === undefined) return undefined;
  let found: readonly Violation[];
  try {
    found = await violations(fields, output, patterns);
  } catch (problem) {
    if (!isPatternTimeout(problem)) throw problem;
    const expected = `${problem.message}. Write it without one repetition inside another`;
    return raised(
      "internal.bad_value",
      `the pattern ${problem.pattern} of the output of ${node} cannot be used: ${expected}.`,
      { field: "pattern", value: problem.pattern, expected },
    );
  }
  const first = found[0];
  if (first === undefined) return undefined;
  const all = found.map(inWords);
  const shown = all.slice(0, 5).join("; ") + (all.length > 5 ? `; and ${all.length - 5} more` : "");
  const keep = found.find((violation) => violation.keep)?.keep;
  const how = keep === undefined ? "" : ` ${keep === "as text" ? (AS_TEXT[source] ?? "") : AS_STRING}`.trimEnd();
  return raised(
    "internal.schema_violation",
    `the output of ${node} does not fit its \`output:\`: ${shown}.${how}${note}`,
    { node, source, reason: all.join("; "), failed_field: first.path === "" ? null : first.path },
  );
}

const AS_STRING = "Declare `type: string` to keep the text as it is.";

/** How a number or a boolean stays the text that it was, by what gave it. */
const AS_TEXT: Readonly<Record<string, string>> = {
  set: "Put it in quotes, or end its expression in `| string`, to keep it as text.",
  script: "Print it in quotes in the JSON to keep it as text.",
  agent: "Ask for it in quotes to keep it as text.",
};

const inWords = ({ path, reason }: Violation): string => (path === "" ? reason : `${path}: ${reason}`);

/** Looks for a pattern in a text; says what is wrong when it is not there. */
type FindFault = (pattern: string, text: string) => string | undefined;

const hasPattern = (field: OutputField): boolean =>
  field.pattern !== undefined ||
  (field.items !== undefined && hasPattern(field.items)) ||
  Object.values(field.properties ?? {}).some(hasPattern);

const isPatternTimeout = (problem: unknown): problem is PatternTimeout =>
  problem instanceof Error && "pattern" in problem && "length" in problem;

function inMapping(
  fields: OutputFields,
  value: Readonly<Record<string, unknown>>,
  at: string,
  findFault: FindFault,
): Violation[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = at === "" ? name : `${at}.${name}`;
    if (Object.hasOwn(value, name)) return inField(field, value[name], path, findFault);
    return field.required === false ? [] : [{ path, reason: "it is missing" }];
  });
}

function inField(field: OutputField, value: unknown, path: string, findFault: FindFault): Violation[] {
  if (value === null && field.nullable) return [];
  if (!isOfType(field.type, value)) {
    const keep = keepOf(field.type, value);
    const reason = `${article(field.type)} is expected, and it is ${typeName(value)}`;
    return [{ path, reason, ...(keep ? { keep } : {}) }];
  }
  const found: Violation[] = [];
  if (field.enum && !field.enum.includes(value as string))
    found.push({ path, reason: `${shown(value)} is none of ${field.enum.map(shown).join(", ")}` });
  if (typeof value === "string") found.push(...inText(field, value, path, findFault));
  if (typeof value === "number") found.push(...inNumber(field, value, path));
  const { items, properties } = field;
  if (Array.isArray(value) && items)
    found.push(...value.flatMap((item, index) => inField(items, item, `${path}[${index}]`, findFault)));
  if (isMapping(value) && properties) found.push(...inMapping(properties, value, path, findFault));
  return found;
}

function inText(
  { pattern, minLength, maxLength }: OutputField,
  value: string,
  path: string,
  findFault: FindFault,
): Violation[] {
  const found: Violation[] = [];
  // Length as people count it: an emoji is one character.
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (minLength !== undefined && length < minLength)
    found.push({ path, reason: `it has ${length} characters, and needs at least ${minLength}` });
  if (maxLength !== undefined && length > maxLength)
    found.push({ path, reason: `it has ${length} characters, and may have at most ${maxLength}` });
  if (pattern !== undefined) {
    const problem = findFault(pattern, value);
    if (problem !== undefined) found.push({ path, reason: problem });
  }
  return found;
}

function inNumber({ minimum, maximum }: OutputField, value: number, path: string): Violation[] {
  if (minimum !== undefined && value < minimum) return [{ path, reason: `${value} is less than ${minimum}` }];
  if (maximum !== undefined && value > maximum) return [{ path, reason: `${value} is more than ${maximum}` }];
  return [];
}

function keepOf(type: OutputField["type"], value: unknown): Violation["keep"] {
  if (type === "string") return typeof value === "number" || typeof value === "boolean" ? "as text" : undefined;
  return type === "number" && typeof value === "string" && NUMERIC.test(value) ? "as a string" : undefined;
}

const NUMERIC = /^\s*[+-]?[\d._]+\s*$/;

function isOfType(type: OutputField["type"], value: unknown): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isMapping(value);
    default:
      return type satisfies never;
  }
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return `the text ${shown(value)}`;
  if (typeof value === "object") return "an object";
  return String(value);
}

const article = (type: string): string => (/^[ao]/.test(type) ? `an ${type}` : `a ${type}`);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

export function readErrorChannel(node: string, content: ErrorFileContent): Raised | undefined {
  if ("unreadable" in content) return malformedEnvelope(node, "error_channel", content.unreadable);
  if (content.text === "") return undefined;
  let value: unknown;
  try {
    // PowerShell and friends like to begin a file with a byte order mark.
    value = parseJson(content.text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const { message } = error as Error;
    return malformedEnvelope(
      node,
      "error_channel",
      error instanceof SyntaxError ? `it is not JSON: ${message}` : message,
    );
  }
  const parsed = parseEnvelope(value);
  return parsed.ok
    ? fromAuthor(node, parsed.error)
    : malformedEnvelope(node, "error_channel", parsed.reason, parsed.field);
}

/**
 * An envelope as its author wrote it. Kinds of the engine mean that the engine saw something; a step that claims one gets an
 * error that says so. Only here is it known who raised it; `declared` is filled in when the outcome is settled.
 */
export function fromAuthor(node: string, error: Raised): Raised {
  if (!isEngineKind(error.kind)) return error;
  return raised(
    "internal.undeclared_kind",
    `${node} raised ${error.kind}, a kind that only the engine raises: ${error.message.replace(/\.$/, "")}. Choose a name of your own, such as external.git.drift.`,
    { original_kind: error.kind, original_message: error.message, original_details: error.details, declared: [] },
  );
}

const WHOLE = 'Write {"kind": "external.git.drift", "message": "what happened", "details": {}}';

/** What a step did to raise, and what it should have written. */
const WAYS = {
  error_channel: ["wrote an error file", WHOLE],
  agent: ["answered with an error envelope", WHOLE],
  step: ["raised an error", 'Write raised("external.git.drift", "what happened", {})'],
} as const;

/** Unlike an output that does not fit, this is an envelope whether or not the step opted in, so it says that it is one. */
export function malformedEnvelope(node: string, source: keyof typeof WAYS, reason: string, field?: string): Raised {
  const [did, instead] = WAYS[source];
  return raised("internal.schema_violation", `${node} ${did} that cannot be used: ${reason}. ${instead}.`, {
    node,
    source,
    reason,
    failed_field: field ?? null,
    malformed_envelope: true,
  });
}
