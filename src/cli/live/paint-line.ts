// An event's line as text: in colour for a terminal, bare for a log.

import type { RunEvent } from "../../events/registry.ts";
import type { Colors } from "../output.ts";
import { paint } from "../text/glyphs.ts";
import { hang } from "../text/wrap.ts";
import type { EventLine } from "./line-parts.ts";
import type { ScriptLine } from "./script-text.ts";

/** `✓ plan/build  done in 3.2s`; deeper paths are indented, and what is wider than the terminal is broken at words. */
export function paintLine({ glyph, label, text, depth }: EventLine, colors: Colors, terminal?: number): string {
  const sign = paint(glyph.tone, glyph.sign, colors);
  const words =
    glyph.tone === "bad"
      ? colors.red(text)
      : glyph.tone === "good"
        ? colors.dim(text)
        : paint(glyph.tone, text, colors);
  if (!label) return hang(sign, glyph.tone === "dim" ? text : words, terminal);
  return hang(`${"  ".repeat(depth)}${sign}`, `${colors.bold(label)}  ${words}`, terminal);
}

/** `plan/build: done in 3.2s`. */
export const plainLine = ({ label, text }: EventLine): string => (label ? `${label}: ${text}` : text);

export const scriptLine = ({ label, text }: ScriptLine, colors: Colors): string =>
  `${colors.dim(`${label} |`)} ${text}`;

/** Whatever shows a run while it goes on. */
export interface ProgressView {
  on(event: RunEvent): void;
  /** A line that belongs to no event. */
  say(text: string): void;
  /** Steps aside while a question is asked. */
  pause(): void;
  resume(): void;
  /** Nothing more will come; what was redrawn is taken away. */
  end(): void;
}
