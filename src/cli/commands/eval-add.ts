// `segno eval add`: a run becomes a row; at a terminal the user says what is expected of it.
import { addEvalRow } from "../../services/eval/eval-rows.ts";
import { refusal } from "../../services/refusals.ts";
import type { Call } from "../command.ts";
import { plainLineOf } from "../text/harmless.ts";
import { answerWith } from "../usage-error.ts";

export async function evalAdd({ asked, output }: Call): Promise<number> {
  const given = asked.text("expected");
  const tags = asked.list("tag");
  const answer = await addEvalRow(asked.session, {
    ...{ run: asked.required(0), to: asked.text("to") ?? "dataset.jsonl" },
    ...{ id: asked.text("id"), step: asked.text("step"), ...(tags.length > 0 ? { tags } : {}) },
    ...(given === undefined ? await asking() : { expected: async () => ({ value: readValue(given) }) }),
  });
  const { green, dim } = output.outColors;
  return answerWith(
    answer,
    output,
    ({ file, row }) =>
      `${green("✓")} ${plainLineOf(file ?? "")} has the row ${plainLineOf(row?.id ?? "")}\n${dim(`  expected ${plainLineOf(JSON.stringify(row?.expected ?? null))}`)}\n`,
  );

  /** Without a terminal to ask on, the run's own outcome is what is expected. */
  async function asking() {
    const { canAskAtTerminal } = await import("../ask/terminal-asker.ts");
    if (output.format !== "text" || !canAskAtTerminal(output)) return {};
    const { clackPrompts } = await import("../ask/prompts.ts");
    const prompts = await clackPrompts(new AbortController().signal);
    return {
      expected: async (came: unknown) => {
        const initial = JSON.stringify(came);
        const said = await prompts.write("What is expected of it? (JSON; Enter takes what the run came to)", {
          initial,
        });
        return typeof said !== "string" ? undefined : { value: said.trim() === "" ? came : readValue(said) };
      },
    };
  }
}

/** JSON, or the text itself where it does not begin as an object or a list. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (problem) {
    if (/^\s*[{[]/.test(text)) throw refusal(`what is expected is no JSON: ${(problem as Error).message}`);
    return text;
  }
}
