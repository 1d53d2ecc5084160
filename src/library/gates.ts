// Questions to people that runs wait on, from outside the run.
import type { Result } from "../results/result.ts";
import type { GatesAnswer } from "../services/gates/gates.ts";
import { calledAs } from "./called-as.ts";
import { DRIVING, drivingOf } from "./driving.ts";
import type { StoreOptions } from "./options.ts";
import type { DriveOptions } from "./run-options.ts";
import { given, STANDING, standingOf } from "./standing.ts";
import { checkGiven, checkText } from "./wrong-call.ts";

export type { GatesAnswer };

export interface AnswerOptions extends DriveOptions {
  /** Which one, when several wait: its `name`. */
  readonly gate?: string;
  /** Texts that the option asks for; for questions, the answers by id. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Who answers, recorded as a claim beside the user of the operating system. */
  readonly by?: string;
}

async function list(options: StoreOptions = {}): Promise<GatesAnswer> {
  await checkGiven("gates.list", options, STANDING);
  const { listGates } = await import("../services/gates/gates.ts");
  return listGates(standingOf(options));
}

async function answer(run: string, value: string, options: AnswerOptions = {}): Promise<Result> {
  checkText(calledAs(options, "gates.answer"), "the id of a run", run);
  checkText(calledAs(options, "gates.answer"), "the value of an option", value);
  await checkGiven("gates.answer", options, [...DRIVING, "gate", "answers", "by"]);
  const { gate, answers = {}, by, ...rest } = options;
  const { answerGate } = await import("../services/gates/gates.ts");
  const { session, listeners } = await drivingOf(rest);
  const request = { run, value, inputs: answers, via: "library", ...given({ gate, as: by }) };
  return answerGate(session, request, listeners);
}

/**
 * The questions that runs wait on: `list` them, or `answer` one, which drives the run on and gives its result.
 *
 * @example
 * for (const { run_id, prompt, options } of (await gates.list()).gates) {
 *   console.log(prompt, options.map(({ value }) => value));
 *   await gates.answer(run_id, "yes", { by: "the release bot" });
 * }
 *
 * @deprecated Use `segno.gates` of a client, which `createSegno` makes.
 */
export const gates = { list, answer };
