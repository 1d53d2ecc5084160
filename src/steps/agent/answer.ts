// What a model's answer is: the step's output, an error that the agent raised, or something that fits neither.
import { claimsToBeEnvelope, parseEnvelope, type Raised, raised } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson, UnusableJson } from "../../base/json/bounded.ts";
import { balanced, unwrapped } from "../../providers/answer.ts";
import {
  fromAuthor,
  isTooSlowPattern,
  malformedEnvelope,
  type OutputFields,
  schemaViolation,
} from "../output-schema.ts";
import type { PatternDialect } from "../patterns/search.ts";
import type { EnvelopesRaised } from "../step-type.ts";

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
  /** `whole` if absent. */
  readonly envelopes?: EnvelopesRaised | undefined;
  readonly patterns?: PatternDialect | undefined;
}

/** An envelope is looked for first, whatever the schema says: an agent has no other channel. */
export async function readAnswer(content: unknown, expected: Expectations): Promise<ReadAnswer> {
  const { node, output: fields, raw, envelopes = "whole", patterns } = expected;
  if (raw && envelopes === "none") return { type: "output", output: rawOutput(content) };
  const whole = typeof content === "string" ? (parsed(content.trim()) ?? content) : content;
  if (claimsToBeEnvelope(whole)) return readEnvelope(whole, node);
  const problem = typeof content === "string" && whole === content ? problemOfEnvelope(content) : undefined;
  if (problem !== undefined) return unusable(node, problem);
  if (envelopes !== "whole" && fields === undefined && typeof content === "string")
    return freeText(content, node, envelopes);
  if (raw) return { type: "output", output: rawOutput(content) };
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
  const error = await schemaViolation(node, "agent", fields, found, { patterns });
  if (error && isTooSlowPattern(error)) return { type: "raised", error, output: found };
  return error ? { type: "unfit", error, reason: "schema", output: found } : { type: "output", output: found };
}

const rawOutput = (content: unknown): unknown => ({
  result: typeof content === "string" ? content : JSON.stringify(content),
});

/** The text of an agent that may raise: models put the envelope into a fence, or write sentences around it. */
function freeText(text: string, node: string, envelopes: EnvelopesRaised): ReadAnswer {
  const output = { result: text };
  const found = envelopeInText(text, envelopes);
  if (!found) return { type: "output", output };
  if (found.type === "unusable") return { type: "output", output, warning: notRaised(node, found.reason) };
  const said = found.said === "" ? {} : { output: { result: found.said } };
  return { type: "raised", error: fromAuthor(node, found.error), ...said };
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

// Finds the error envelope in an agent's free text: at its end, in a code fence or after a sentence; or, with prose after it,
// on lines of its own. An envelope within a sentence never counts, so that an agent can quote one without raising it.

export type EnvelopeInText =
  /** `said` is what the agent wrote around it. */
  | { readonly type: "envelope"; readonly error: Raised; readonly said: string }
  | { readonly type: "unusable"; readonly reason: string };

interface Claim {
  readonly start: number;
  readonly value: unknown;
}

interface QuotedClaim extends Claim {
  readonly end: number;
}

const KEY = '"conductor_error"';
const CLOSING_FENCE = /\n?[ \t]*(?:`{3,}|~{3,})$/;
const OPENING_FENCE = /(?:`{3,}|~{3,})[\w+-]*$/;
const FENCE_AFTER = /^(?:`{3,}|~{3,})/;
const LOOKS_LIKE_ONE = /\{[^{}]*["']?conductor_error["']?\s*:\s*true/i;

// A long answer must not take a long time to read.
const MOST_KEYS = 10;
/** Around one key: `details` in front of it has braces of its own. */
const MOST_BRACES = 20;
const LONGEST_QUOTE = 20_000;

function envelopeInText(text: string, envelopes: EnvelopesRaised): EnvelopeInText | undefined {
  const end = text.trimEnd().replace(CLOSING_FENCE, "").trimEnd();
  const last = end.endsWith("}")
    ? claimAround(end, end.lastIndexOf(KEY), (start) => parsed(end.slice(start)))
    : undefined;
  const before = end.slice(0, last?.start);
  const quoted = claimsIn(before);
  if (!last) return firstUnusable(quoted) ?? withoutLast(end, quoted, envelopes);
  if (quoted.length > 0) return { type: "unusable", reason: "the answer holds more than one" };
  const envelope = parseEnvelope(last.value);
  if (!envelope.ok) return { type: "unusable", reason: envelope.reason };
  return { type: "envelope", error: envelope.error, said: proseBefore(before) };
}

const proseBefore = (text: string): string => text.trimEnd().replace(OPENING_FENCE, "").trim();

function withoutLast(
  text: string,
  quoted: readonly QuotedClaim[],
  envelopes: EnvelopesRaised,
): EnvelopeInText | undefined {
  if (!text.endsWith("}")) return beforeProse(text, quoted, envelopes);
  return quoted.length === 0 ? notJson(text) : undefined;
}

/** An envelope on lines of its own, with prose after it. */
function beforeProse(
  text: string,
  quoted: readonly QuotedClaim[],
  envelopes: EnvelopesRaised,
): EnvelopeInText | undefined {
  const claim = quoted.find((one) => isOnOwnLines(text, one));
  if (!claim) return undefined;
  if (quoted.length > 1) return { type: "unusable", reason: "the answer holds more than one" };
  const [before, after] = [text.slice(0, claim.start), text.slice(claim.end)];
  if (envelopes !== "apart") return { type: "unusable", reason: "text follows it" };
  if (hasObject(before) || hasObject(after))
    return { type: "unusable", reason: "text follows it, and it is not the only JSON object of the answer" };
  const envelope = parseEnvelope(claim.value);
  if (!envelope.ok) return { type: "unusable", reason: envelope.reason };
  const said = [proseBefore(before), after.trimStart().replace(FENCE_AFTER, "").trim()].filter(Boolean).join("\n\n");
  return { type: "envelope", error: envelope.error, said };
}

/** Nothing but blanks stands beside it; its fences are lines of their own. */
function isOnOwnLines(text: string, { start, end }: QuotedClaim): boolean {
  const before = text.slice(0, start).split("\n").at(-1) ?? "";
  const [after = ""] = text.slice(end).split("\n", 1);
  return before.trim() === "" && after.trim() === "";
}

function hasObject(text: string): boolean {
  let at = text.indexOf("{");
  for (let tried = 0; at !== -1 && tried < MOST_BRACES; tried += 1) {
    if (isMapping(parsed(balanced(text.slice(at, at + LONGEST_QUOTE), 0)))) return true;
    at = text.indexOf("{", at + 1);
  }
  return false;
}

function firstUnusable(quoted: readonly QuotedClaim[]): EnvelopeInText | undefined {
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

function claimsIn(text: string): readonly QuotedClaim[] {
  const claims: QuotedClaim[] = [];
  let key = text.indexOf(KEY);
  for (let tried = 0; key !== -1 && tried < MOST_KEYS; tried += 1) {
    const objectAt = (start: number): string | undefined => balanced(text.slice(start, start + LONGEST_QUOTE), 0);
    const claim = claimAround(text, key, (start) => parsed(objectAt(start)));
    if (claim) claims.push({ ...claim, end: claim.start + (objectAt(claim.start)?.length ?? 0) });
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
