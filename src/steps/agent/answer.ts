// What a model's answer is: the step's output, an error that the agent raised, or something that fits neither.
import { claimsToBeEnvelope, parseEnvelope, type Raised, raised } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson, UnusableJson } from "../../base/json/bounded.ts";
import { balanced, unwrapped } from "../../providers/answer.ts";
import { fromAuthor, malformedEnvelope, type OutputFields, schemaViolation } from "../output-schema.ts";

export type ReadAnswer =
  /** `warning` is about an error that the agent may have meant to raise and did not. */
  | { readonly type: "output"; readonly output: unknown; readonly warning?: string }
  /** `output` is what it wrote before it raised. */
  | { readonly type: "raised"; readonly error: Raised; readonly output?: unknown }
  /** Worth asking again; `error` is what the step raises when that does not help. */
  | { readonly type: "unfit"; readonly error: Raised; readonly reason: "syntax" | "schema"; readonly output: unknown };

export interface Expectations {
  readonly node: string;
  readonly output?: OutputFields;
  readonly raw?: true;
  /** The step opted in to typed errors: an envelope at the end of free text counts. */
  readonly optedIn?: boolean;
}

/** An envelope is looked for first, whatever the schema says: an agent has no other channel. */
export async function readAnswer(content: unknown, expected: Expectations): Promise<ReadAnswer> {
  const { node, output: fields, raw, optedIn } = expected;
  const whole = typeof content === "string" ? (parsed(content.trim()) ?? content) : content;
  if (claimsToBeEnvelope(whole)) return readEnvelope(whole, node);
  const problem = typeof content === "string" && whole === content ? problemOfEnvelope(content) : undefined;
  if (problem !== undefined) return unusable(node, problem);
  if (optedIn && fields === undefined && typeof content === "string") return freeText(content, node);
  if (raw)
    return { type: "output", output: { result: typeof content === "string" ? content : JSON.stringify(content) } };
  const output = isMapping(content) ? content : { result: content };
  if (fields === undefined) return { type: "output", output };

  const read = isMapping(whole) ? whole : typeof content === "string" ? objectIn(content) : undefined;
  const found = read && withoutWrappers(read, fields);
  if (found === undefined) {
    const reason = "it is not a JSON object";
    const error = raised(
      "internal.schema_violation",
      `the answer of ${node} does not fit its \`output:\`: ${reason}.`,
      { node, source: "agent", reason, failed_field: null },
    );
    return { type: "unfit", error, reason: "syntax", output };
  }
  const error = await schemaViolation(node, "agent", fields, found);
  return error ? { type: "unfit", error, reason: "schema", output: found } : { type: "output", output: found };
}

/** The text of an agent that may raise: models put the envelope into a fence, or write a sentence before it. */
function freeText(text: string, node: string): ReadAnswer {
  const output = { result: text };
  const found = envelopeInText(text);
  if (!found) return { type: "output", output };
  if (found.type === "unusable") return { type: "output", output, warning: notRaised(node, found.reason) };
  const before = found.before === "" ? {} : { output: { result: found.before } };
  return { type: "raised", error: fromAuthor(node, found.error), ...before };
}

const notRaised = (node: string, reason: string): string =>
  `the answer of ${node} holds an error envelope that was not raised: ${reason}. The answer counts as a success. To raise, the answer must end with exactly one object such as {"conductor_error": true, "kind": "external.git.drift", "message": "what happened"}.`;

/** Models wrap scalars: `{"title": {"value": "x"}}`. As in Conductor that is no reason to ask again, where the key says so. */
function withoutWrappers(answer: Record<string, unknown>, fields: OutputFields): Record<string, unknown> {
  const entries = Object.entries(answer).map(([name, value]) => {
    const type = Object.hasOwn(fields, name) ? fields[name]?.type : undefined;
    if (!isMapping(value) || type === "object") return [name, value] as const;
    const key = [name, "value", "result"].find((one) => Object.hasOwn(value, one) && typeof value[one] === type);
    return [name, key === undefined ? value : value[key]] as const;
  });
  return Object.fromEntries(entries);
}

/** An error that is nested too deeply to be read, or has too large a number, is no success: the agent meant to raise. */
function problemOfEnvelope(text: string): string | undefined {
  try {
    if (claimsToBeEnvelope(unwrapped(JSON.parse(text)))) parseJson(text);
    return undefined;
  } catch (problem) {
    return problem instanceof UnusableJson ? problem.message : undefined;
  }
}

const unusable = (node: string, reason: string): ReadAnswer => ({
  type: "unfit",
  error: malformedEnvelope(node, "agent", reason),
  reason: "schema",
  output: undefined,
});

function readEnvelope(value: unknown, node: string): ReadAnswer {
  const envelope = parseEnvelope(value);
  if (envelope.ok) return { type: "raised", error: fromAuthor(node, envelope.error) };
  const error = malformedEnvelope(node, "agent", envelope.reason, envelope.field);
  return { type: "unfit", error, reason: "schema", output: value };
}

/** The JSON object in a text: in a fenced block, or from the first brace to the last. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const fenced = [...text.matchAll(/```(?:json)?[ \t]*\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
  const braced = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return [...fenced, braced].map((candidate) => parsed(candidate)).find(isMapping);
}

// Finds the error envelope at the end of an agent's free text: in a code fence, or after a sentence. Only the last thing in
// the answer counts, so that an agent can quote an envelope, or explain one, without raising it.

export type EnvelopeInText =
  /** `before` is what the agent wrote in front of it. */
  | { readonly type: "envelope"; readonly error: Raised; readonly before: string }
  | { readonly type: "unusable"; readonly reason: string };

interface Claim {
  readonly start: number;
  readonly value: unknown;
}

const KEY = '"conductor_error"';
const CLOSING_FENCE = /\n?[ \t]*(?:`{3,}|~{3,})$/;
const OPENING_FENCE = /(?:`{3,}|~{3,})[\w+-]*$/;
const LOOKS_LIKE_ONE = /\{[^{}]*["']?conductor_error["']?\s*:\s*true/i;

// A long answer must not take a long time to read.
const MOST_KEYS = 10;
/** Around one key: `details` in front of it has braces of its own. */
const MOST_BRACES = 20;
const LONGEST_QUOTE = 20_000;

function envelopeInText(text: string): EnvelopeInText | undefined {
  const end = text.trimEnd().replace(CLOSING_FENCE, "").trimEnd();
  const last = end.endsWith("}")
    ? claimAround(end, end.lastIndexOf(KEY), (start) => parsed(end.slice(start)))
    : undefined;
  const before = end.slice(0, last?.start);
  const quoted = claimsIn(before);
  if (!last) return firstUnusable(quoted) ?? (quoted.length === 0 && end.endsWith("}") ? notJson(end) : undefined);
  if (quoted.length > 0) return { type: "unusable", reason: "the answer holds more than one" };
  const envelope = parseEnvelope(last.value);
  if (!envelope.ok) return { type: "unusable", reason: envelope.reason };
  return { type: "envelope", error: envelope.error, before: before.trimEnd().replace(OPENING_FENCE, "").trim() };
}

function firstUnusable(quoted: readonly Claim[]): EnvelopeInText | undefined {
  for (const { value } of quoted) {
    const envelope = parseEnvelope(value);
    if (!envelope.ok) return { type: "unusable", reason: envelope.reason };
  }
  return undefined;
}

/** What was meant as an envelope and is not JSON would otherwise go unnoticed. */
const notJson = (text: string): EnvelopeInText | undefined =>
  LOOKS_LIKE_ONE.test(text.slice(Math.max(0, text.lastIndexOf("conductor_error") - 2000)))
    ? { type: "unusable", reason: "it cannot be read as JSON" }
    : undefined;

function claimsIn(text: string): readonly Claim[] {
  const claims: Claim[] = [];
  let key = text.indexOf(KEY);
  for (let tried = 0; key !== -1 && tried < MOST_KEYS; tried += 1) {
    const claim = claimAround(text, key, (start) => parsed(balanced(text.slice(start, start + LONGEST_QUOTE), 0)));
    if (claim) claims.push(claim);
    key = text.indexOf(KEY, key + 1);
  }
  return claims;
}

/** The innermost object around a key that says of itself that it is an envelope. */
function claimAround(text: string, key: number, objectAt: (start: number) => unknown): Claim | undefined {
  let start = key < 0 ? -1 : text.lastIndexOf("{", key);
  for (let tried = 0; start !== -1 && tried < MOST_BRACES; tried += 1) {
    const value = objectAt(start);
    if (claimsToBeEnvelope(value)) return { start, value };
    start = start === 0 ? -1 : text.lastIndexOf("{", start - 1);
  }
  return undefined;
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
