// Finds the error envelope at the end of an agent's free text: in a code fence, or after a sentence. Only the last thing in
// the answer counts, so that an agent can quote an envelope, or explain one, without raising it.
import { claimsToBeEnvelope, parseEnvelope, type Raised } from "../errors/index.ts";
import { parseJson } from "../json/bounded.ts";
import { balanced } from "../providers/answer.ts";

export type EnvelopeInText =
  /** `before` is what the agent wrote in front of it. */
  | { readonly type: "envelope"; readonly error: Raised; readonly before: string }
  /** It looks like one, and is none that can be raised. */
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

export function envelopeInText(text: string): EnvelopeInText | undefined {
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
  return {
    type: "envelope",
    error: envelope.error,
    before: before.trimEnd().replace(OPENING_FENCE, "").trim(),
  };
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
