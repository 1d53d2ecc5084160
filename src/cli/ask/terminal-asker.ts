// Asks the person at the terminal. One question at a time: items of a group may ask at once, and the live tree steps
// aside while somebody reads.
import { whyNotBy } from "../../engine/people/approval.ts";
import type { Answer, Asker, Progress, Question } from "../../engine/people/ask.ts";
import { askerName } from "../../events/asker-name.ts";
import { personHere } from "../../services/person-here.ts";
import type { Output } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { askGate } from "./gate.ts";
import { renderMarkdown } from "./markdown.ts";
import { clackPrompts, LEFT, type Left, type Prompts } from "./prompts.ts";
import { askQuestions } from "./questions.ts";

export interface AskerParts {
  readonly output: Output;
  /** Makes room, and gives it back. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Ctrl-C while a question stands: the terminal is in raw mode then and sends no signal. */
  readonly interrupt: () => void;
  /** Says something that stays. */
  readonly say?: (text: string) => void;
  /** Who is at the terminal; as the operating system has it when left out. */
  readonly person?: string;
  readonly open?: (signal: AbortSignal) => Promise<Prompts>;
}

/** Whether there is a person: stdin and stderr are both terminals. Building `process.stdin` takes a while, so it is last. */
export const somebodyIsThere = (output: Output, stdin?: { readonly isTTY?: boolean }): boolean =>
  output.stderr.isTTY === true && (stdin ?? process.stdin).isTTY === true;

export interface TerminalAsker {
  readonly ask: Asker;
  readonly askForMoreIterations: (used: number) => Promise<number>;
}

export function terminalAsker(parts: AskerParts): TerminalAsker {
  const open = parts.open ?? clackPrompts;
  let before: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(
    signal: AbortSignal,
    ask: (prompts: Prompts) => Promise<Value | Left>,
  ): Promise<Value | undefined> => {
    const turn = before.then(async () => {
      if (signal.aborted) return undefined;
      parts.pause();
      try {
        const answer = await ask(await open(signal));
        if (answer !== LEFT) return answer;
        if (!signal.aborted) parts.interrupt();
        return undefined;
      } finally {
        parts.resume();
      }
    });
    before = turn.catch(() => undefined);
    return turn;
  };
  return {
    ask: async (question, signal, progress) => {
      const { person = personHere() } = parts;
      const refused = question.kind === "dialog" ? undefined : whyNotBy(question, { by: "terminal", person });
      if (refused !== undefined) {
        parts.say?.(`${question.node} waits for somebody else: ${plain(refused)}`);
        return undefined;
      }
      const answer = await inTurn(signal, (prompts) => put(question, prompts, parts.output, progress));
      return answer && { ...answer, person };
    },
    askForMoreIterations: async (used) => {
      const more = await inTurn(new AbortController().signal, (prompts) =>
        prompts.write(`${used} steps have run and max_iterations is used up. How many more may run? (0 stops)`, {
          initial: "10",
          refuse: (text) => (/^\d+$/.test(text.trim()) ? undefined : "A whole number, please; 0 stops the run."),
        }),
      );
      return Number(more ?? 0);
    },
  };
}

async function put(
  question: Question,
  prompts: Prompts,
  output: Output,
  progress: Progress | undefined,
): Promise<Answer | Left> {
  if (question.prompt)
    prompts.show(`\n${renderMarkdown(question.prompt, output.colors, Math.min(output.columns, 100))}\n`);
  switch (question.kind) {
    case "gate":
      return askGate(question, prompts);
    case "questions":
      return askQuestions(question, prompts, progress);
    case "dialog": {
      const text = await prompts.write(`${askerName(question.key)} (nothing ends the dialog)`, { multiline: false });
      return text === LEFT ? LEFT : { kind: "dialog", text: text.trim() === "" ? null : text, by: "terminal" };
    }
    default:
      return question satisfies never;
  }
}
