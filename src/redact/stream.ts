// Redaction of text that comes in pieces. What might be the beginning of a secret waits for the next piece.
import type { Spans } from "./spans.ts";

export interface RedactingStream {
  /** What may be shown so far; the rest is held back until it can be told from the beginning of a secret. */
  push(chunk: string): string;
  end(): string;
}

/** No token is as long as this; a text that only looks like the beginning of one must not be kept for ever. */
const LONGEST_HOLD = 64 * 1024;

export interface StreamRules {
  text(text: string): string;
  spans(text: string): Spans;
  openFrom(text: string): number;
}

export function redactingStream(rules: StreamRules): RedactingStream {
  let held = "";
  return {
    push(chunk) {
      const text = held + chunk;
      let cut = rules.openFrom(text);
      if (cut < text.length) {
        // A cut through a whole secret would let both halves pass.
        for (const [start, end] of [...rules.spans(text)].reverse()) if (start < cut && cut < end) cut = start;
        if (text.length - cut > LONGEST_HOLD) cut = text.length;
      }
      held = text.slice(cut);
      return cut === 0 ? "" : rules.text(text.slice(0, cut));
    },
    end() {
      const rest = held;
      held = "";
      return rules.text(rest);
    },
  };
}
