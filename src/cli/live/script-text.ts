// What scripts print, line by line, each with the name of its step before it; a line that comes in pieces is put together.

import { nodePath } from "../../events/key.ts";
import type { RunEvent } from "../../events/registry.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { memberName } from "./line-parts.ts";

/** An unfinished line longer than this is shown as it is. */
const LONGEST = 4000;

export interface ScriptLine {
  readonly label: string;
  readonly text: string;
}

export class ScriptText {
  readonly #unfinished = new Map<string, string>();

  /** The lines that an event completes. */
  take(event: RunEvent): readonly ScriptLine[] {
    if (event.type !== "script_output") return [];
    const label = plainLineOf(nodePath(event.path, memberName(event.data)));
    const key = `${event.data.stream} ${label}`;
    const lines = ((this.#unfinished.get(key) ?? "") + event.data.text).split(/\r?\n/);
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
