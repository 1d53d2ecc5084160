// An event's line as text: in colour for a terminal, bare for a log.

import { nodePath } from "../../events/key.ts";
import { printedIn } from "../../events/printed-text.ts";
import type { EventData, RunEvent } from "../../events/registry.ts";
import type { Colors } from "../output.ts";
import { paint } from "../text/glyphs.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { hang } from "../text/width.ts";
import { type EventLine, nameIn } from "./line-parts.ts";

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

// What scripts print, line by line, each with the name of its step before it; a line that comes in pieces is put together.

/** An unfinished line longer than this is shown as it is. */
const LONGEST = 4000;

interface ScriptLine {
  readonly label: string;
  readonly text: string;
}

export class ScriptText {
  readonly #unfinished = new Map<string, string>();

  /** The lines that an event completes. */
  take(event: RunEvent): readonly ScriptLine[] {
    return printedIn(event).flatMap((printed) => this.#takePiece(event.path, printed));
  }

  #takePiece(path: RunEvent["path"], printed: EventData<"script_output">): readonly ScriptLine[] {
    const label = plainLineOf(nodePath(path, nameIn(printed) ?? printed.node));
    const key = `${printed.stream} ${label}`;
    const lines = ((this.#unfinished.get(key) ?? "") + printed.text).split(/\r?\n/);
    const rest = lines.pop() ?? "";
    if (rest.length > LONGEST) lines.push(rest);
    if (rest === "" || rest.length > LONGEST) this.#unfinished.delete(key);
    else this.#unfinished.set(key, rest);
    return lines.map((text) => ({ label, text: plain(text) }));
  }

  /** What was still unfinished when the run ended. */
  rest(): readonly ScriptLine[] {
    const lines = [...this.#unfinished].map(([key, text]) => ({
      label: key.slice(key.indexOf(" ") + 1),
      text: plain(text),
    }));
    this.#unfinished.clear();
    return lines;
  }
}
