// Redaction of text that comes in pieces. What might be the beginning of a secret waits for the next piece, and so does a line
// that may be giving one a name: which part of it is the secret is known when the line has ended.
import type { Spans } from "./see-through.ts";

export interface RedactingStream {
  /** What may be shown so far; the rest is held back while it may be the beginning of a secret. */
  push(chunk: string): string;
  end(): string;
}

/** No token is as long as this; a text that only looks like the beginning of one must not be kept for ever. */
const LONGEST_HOLD = 64 * 1024;
/** So much of a line that was shown already is remembered: a name, and what stands between it and its value. */
const MOST_BEGUN = 4096;

export interface StreamRules {
  show(text: string): string;
  spans(text: string): Spans;
  openFrom(text: string): number;
  /** Whether a line may be giving a secret a name. */
  mayName(line: string): boolean;
  learn(line: string): void;
}

const LINE_END = /[\r\n]/g;

/** Where the last line of a text begins. */
const startOfLine = (text: string): number => Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;

/** Where the line at a place ends; the text's length if it has not ended. */
function endOfLine(text: string, place: number): number {
  LINE_END.lastIndex = place;
  return LINE_END.exec(text)?.index ?? text.length;
}

export function redactingStream(rules: StreamRules): RedactingStream {
  let held = "";
  /** What was shown of a line that has not ended. */
  let begun = "";
  /** Learns from the line that goes over the end of what is held. */
  const learnFrom = (text: string): void => {
    const from = startOfLine(held);
    const line = (from === 0 ? begun : "") + text.slice(from, endOfLine(text, held.length));
    if (rules.mayName(line)) rules.learn(line);
  };
  return {
    push(chunk) {
      const text = held + chunk;
      // A line that came in one piece was learned from with its event.
      if (held !== "" || begun !== "") learnFrom(text);
      const line = startOfLine(text);
      const shownOfLine = line === 0 ? begun : "";
      let cut = rules.openFrom(text);
      if (line < text.length && rules.mayName(shownOfLine + text.slice(line))) cut = Math.min(cut, line);
      if (cut < text.length) {
        // A cut through a whole secret would let both halves pass.
        for (const [start, end] of [...rules.spans(text)].reverse()) if (start < cut && cut < end) cut = start;
        if (text.length - cut > LONGEST_HOLD) cut = text.length;
      }
      held = text.slice(cut);
      begun = (shownOfLine + text.slice(line, Math.max(line, cut))).slice(-MOST_BEGUN);
      return cut === 0 ? "" : rules.show(text.slice(0, cut));
    },
    end() {
      const rest = held;
      learnFrom(rest);
      [held, begun] = ["", ""];
      return rules.show(rest);
    },
  };
}
