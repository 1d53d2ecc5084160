// What is shown on stderr while a run goes on: a live tree at a terminal, a line for each thing that happens elsewhere,
// nothing with -q.
import type { Output } from "../output.ts";
import { lineOf } from "./event-line.ts";
import { LiveTree } from "./live-tree.ts";
import { plainLine, scriptLine } from "./paint-line.ts";
import type { ProgressView } from "./progress.ts";
import { ScriptText } from "./script-text.ts";

const nothing = (): void => {};

export function progressFor(output: Output): ProgressView {
  if (output.quiet)
    return { on: nothing, say: (text) => output.say(text), pause: nothing, resume: nothing, end: nothing };
  return output.live ? new LiveTree(output) : plainProgress(output);
}

/** One line for each meaningful event; with -v also what scripts print. */
export function plainProgress(output: Output): ProgressView {
  const scripts = new ScriptText();
  return {
    on: (event) => {
      if (output.verbose) for (const text of scripts.take(event)) output.say(scriptLine(text, output.colors));
      const line = lineOf(event);
      if (line && (output.verbose || line.weight !== "detail")) output.say(plainLine(line));
    },
    say: (text) => output.say(text),
    pause: nothing,
    resume: nothing,
    end: () => {
      if (output.verbose) for (const text of scripts.rest()) output.say(scriptLine(text, output.colors));
    },
  };
}
