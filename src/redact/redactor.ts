// The one exit: every value that leaves the process passes a redactor.
// Most texts hold no secret, so everything is built around finding that out with one search.
import { isSecretKey } from "./keys.ts";
import { KnownSecrets, type SecretSpan } from "./known.ts";
import { findTokens, openTokenFrom, SHORTEST_TOKEN, TRIGGERS } from "./patterns.ts";
import { type RedactingStream, redactingStream } from "./stream.ts";
import { type KeyVerdict, redactValue, type WalkRules } from "./walk.ts";

export const REDACTED = "<redacted>";

export interface Redactor {
  /** The text without secrets. */
  text(text: string): string;
  /**
   * The value without secrets: itself when there was none, otherwise a copy of what changed. With `keys: "author"` names
   * of keys are not looked at: for the workflow's own `output` and for maps keyed by step or item name.
   *
   * @example redactor.value({ password: "x", note: "Bearer abc123def456" }) // { password: "<redacted>", note: "Bearer <redacted>" }
   */
  value(value: unknown, options?: { readonly keys?: "redact" | "author" }): unknown;
  /** Makes a value known as a secret from here on: a token in a header that a step sent. */
  learn(secret: string): void;
  /** For text that comes in chunks: a secret that is cut over two of them is caught. */
  stream(): RedactingStream;
}

export interface SecretsToHide {
  /** Known values: redacted wherever they appear when they have 8 characters or more, otherwise as whole values. */
  readonly secrets: Iterable<string>;
  /** Values of `secret` inputs: redacted wherever they appear from 4 characters on. */
  readonly shortSecrets?: Iterable<string>;
}

const LONG = 8;
const SHORT = 4;
/** Keys repeat from event to event; the answer for each is kept, up to this many. */
const REMEMBERED_KEYS = 5_000;

export function createRedactor({ secrets, shortSecrets = [] }: SecretsToHide): Redactor {
  const known = new KnownSecrets();
  for (const secret of secrets) known.add(secret, LONG);
  for (const secret of shortSecrets) known.add(secret, SHORT);

  let suspicious: RegExp;
  let shortest: number;
  const verdicts = new Map<string, KeyVerdict>();
  const authorVerdicts = new Map<string, KeyVerdict>();
  const prepare = (): void => {
    suspicious = new RegExp(known.isEmpty ? TRIGGERS : `${known.source}|${TRIGGERS}`);
    shortest = Math.min(known.shortest, SHORTEST_TOKEN);
    verdicts.clear();
    authorVerdicts.clear();
  };
  prepare();

  const spans = (text: string): SecretSpan[] => {
    const found: SecretSpan[] = [];
    known.find(text, found);
    findTokens(text, found);
    return found.sort((a, b) => a[0] - b[0]);
  };

  const inner = (text: string): string => {
    if (text.length < shortest || !suspicious.test(text)) return text;
    const found = spans(text);
    if (found.length === 0) return text;
    const parts: string[] = [];
    let at = 0;
    for (const [start, end] of found) {
      if (start >= at) parts.push(text.slice(at, start), REDACTED);
      if (end > at) at = end;
    }
    parts.push(text.slice(at));
    return parts.join("");
  };

  const text = (value: string): string =>
    known.whole.size > 0 && value.length < LONG && known.whole.has(value) ? REDACTED : inner(value);

  const remembered = (memory: Map<string, KeyVerdict>, byName: boolean) => (name: string) => {
    const before = memory.get(name);
    if (before) return before;
    if (memory.size >= REMEMBERED_KEYS) memory.clear();
    const verdict = { name: inner(name), secret: byName && isSecretKey(name) };
    memory.set(name, verdict);
    return verdict;
  };
  const number = (value: number): unknown => (known.numbers.size > 0 && known.numbers.has(value) ? REDACTED : value);
  const rules: WalkRules = { text, number, key: remembered(verdicts, true), mark: REDACTED };
  const authorRules: WalkRules = { ...rules, key: remembered(authorVerdicts, false) };

  return {
    text,
    value: (value, options) => redactValue(value, options?.keys === "author" ? authorRules : rules),
    learn(secret) {
      if (known.add(secret, LONG)) prepare();
    },
    stream: () =>
      redactingStream({ text: inner, spans, openFrom: (tail) => Math.min(known.openFrom(tail), openTokenFrom(tail)) }),
  };
}
