// Long texts as `events.jsonl` has them: their beginning, length and digest. The journal has them whole, once. Only what is
// redacted is cut: neither the beginning nor the digest says more than the whole line would.
import { createHash } from "node:crypto";

/** What a script prints at once, or a page of text, stays as it is. */
const LONGEST = 16 * 1024;
const HEAD = 1000;

/** Data of an event that was redacted, with its long texts cut; itself when there are none. */
export function withTextsCut<Value>(value: Value): Value {
  return cut(value) as Value;
}

function cut(value: unknown): unknown {
  if (typeof value === "string") return value.length > LONGEST ? headOf(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const parts = value.map(cut);
    return parts.some((part, at) => part !== value[at]) ? parts : value;
  }
  const entries = Object.entries(value).map(([name, part]) => [name, part, cut(part)] as const);
  if (entries.every(([, part, shown]) => part === shown)) return value;
  return Object.fromEntries(entries.map(([name, , shown]) => [name, shown]));
}

function headOf(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex");
  // Not in the middle of a character. Copied: V8 keeps the whole text for a part of it.
  const head = Buffer.from(text.slice(0, HEAD).replace(/[\ud800-\udbff]$/, ""), "utf16le").toString("utf16le");
  return `${head}… [cut: ${text.length} characters, sha256:${digest}; the journal has all of it]`;
}
