// Asks the person at the terminal. One question at a time: items of a group may ask at once, and the live tree steps
// aside while the person reads.

import { askerName } from "../../../base/events/asker-name.ts";
import type { ReachedLimit } from "../../../engine/limits/reached.ts";
import {
  type GateAnswer,
  type GateQuestion,
  missingText,
  type Progress,
  type Question,
  type Unsigned,
} from "../../../engine/people/ask.ts";
import { gateRules } from "../../../services/gates/rules.ts";
import type { FaceAsker } from "../../../services/request.ts";
import type { ProgressView } from "../live/paint-line.ts";
import type { Output } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { renderMarkdown } from "./markdown.ts";
import { askQuestions, clackPrompts, confirmed, LEFT, type Left, type Prompts } from "./prompts.ts";

export interface AskerParts {
  readonly output: Output;
  readonly progress: Pick<ProgressView, "pause" | "resume" | "say">;
  /** Ctrl-C while a question stands: the terminal is in raw mode then and sends no signal. */
  readonly interrupt: () => void;
  readonly open?: (signal: AbortSignal) => Promise<Prompts>;
}

/** Whether there is a person: stdin and stderr are both terminals. Building `process.stdin` takes a while, so it is last. */
export const canAskAtTerminal = (output: Output, stdin?: { readonly isTTY?: boolean }): boolean =>
  output.stderr.isTTY === true && (stdin ?? process.stdin).isTTY === true;

/** Asks yes or no at the terminal; undefined where there is none to ask on. */
export const confirmer = (output: Output): typeof confirmed | undefined =>
  canAskAtTerminal(output) ? confirmed : undefined;

export interface TerminalAsker {
  readonly ask: FaceAsker;
  readonly askForMore: (reached: ReachedLimit) => Promise<number>;
}

export function terminalAsker({ output, progress, interrupt, open = clackPrompts }: AskerParts): TerminalAsker {
  let before: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(
    signal: AbortSignal,
    ask: (prompts: Prompts) => Promise<Value | Left>,
  ): Promise<Value | undefined> => {
    const turn = before.then(async () => {
      if (signal.aborted) return undefined;
      progress.pause();
      try {
        const answer = await ask(await open(signal));
        if (answer !== LEFT) return answer;
        if (!signal.aborted) interrupt();
        return undefined;
      } finally {
        progress.resume();
      }
    });
    before = turn.catch(() => undefined);
    return turn;
  };
  return {
    ask: async (question, signal, { person, refusal, progress: answered }) => {
      if (refusal !== undefined) {
        progress.say(plain(refusal));
        return undefined;
      }
      return inTurn(signal, (prompts) => {
        if (isForCertainPeople(question)) prompts.show(`You answer as ${plain(person)}.`);
        return put(question, prompts, output, answered);
      });
    },
    askForMore: async ({ limit, node, executions, visits }) => {
      const asked =
        limit === "max_visits"
          ? `${plain(node)} was visited ${visits} times and max_visits is used up. How often may it be visited again? (0 stops)`
          : `${executions} steps have run and max_iterations is used up. How many more may run? (0 stops)`;
      const more = await inTurn(new AbortController().signal, (prompts) =>
        prompts.write(asked, {
          initial: "10",
          refuse: (text) => (/^\d+$/.test(text.trim()) ? undefined : "A whole number, please; 0 stops the run."),
        }),
      );
      return Number(more ?? 0);
    },
  };
}

function isForCertainPeople(question: Question): boolean {
  const { approvers, four_eyes } = gateRules(question);
  return approvers !== null || four_eyes;
}

async function put(
  question: Question,
  prompts: Prompts,
  output: Output,
  progress: Progress | undefined,
): Promise<Unsigned | Left> {
  if (question.prompt)
    prompts.show(`\n${renderMarkdown(question.prompt, output.colors, Math.min(output.columns, 100))}\n`);
  switch (question.kind) {
    case "gate":
      return askGate(question, prompts);
    case "questions":
      return askQuestions(question, prompts, progress);
    case "dialog": {
      const text = await prompts.write(`${askerName(question.key)} (nothing ends the dialog)`, { multiline: false });
      return text === LEFT ? LEFT : { kind: "dialog", text: text.trim() === "" ? null : text };
    }
    default:
      return question satisfies never;
  }
}

/** Asks a gate at the terminal: one of its options, and the text that the option wants. */
export async function askGate(question: GateQuestion, prompts: Prompts): Promise<Unsigned<GateAnswer> | Left> {
  const choices = question.options.map(({ value, label, description: hint }) => ({ value, label, hint }));
  const value = await prompts.choose(askerName(question.key), choices);
  if (value === LEFT) return LEFT;
  const option = question.options.find((each) => each.value === value);
  if (!option?.prompt_for) return { kind: "gate", value, additional_input: {} };
  const { prompt_for, prompt_optional } = option;
  const text = await prompts.write(prompt_optional ? `${prompt_for} (may be left out)` : prompt_for, {
    multiline: option.multiline === true,
    refuse: (written) =>
      missingText(option, { [prompt_for]: written }) ? `${option.label} needs this text.` : undefined,
  });
  if (text === LEFT) return LEFT;
  return { kind: "gate", value, additional_input: { [option.prompt_for]: text } };
}
