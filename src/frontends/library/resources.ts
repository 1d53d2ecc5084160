// What a store keeps beside runs: questions that they wait on, dead letters and breakers; and the triggers of the project.
import type { Head, Result } from "../../base/results/result.ts";
import type {
  HistoryAnswer as FiringsAnswer,
  TriggerView as Trigger,
  FiringView as TriggerFiring,
  TriggersAnswer,
} from "../../features/triggers/index.ts";
import type { ShownLetter as WholeLetter } from "../../services/dead-letters/letters.ts";
import type { LetterSelection } from "../../services/dead-letters/select.ts";
import type { LetterView as Letter } from "../../services/dead-letters/view.ts";
import type { GatesAnswer } from "../../services/gates/gates.ts";
import type { BreakerView as Breaker, BreakersAnswer } from "../../services/resilience/breakers.ts";
import type { DriveOptions, ResumeOptions, StoreOptions } from "./options.ts";
import { allOf, DRIVING, drivingOf, given, givenOf, STANDING, standingOf } from "./services-of.ts";
import { calledAs } from "./wording.ts";
import { checkCall, checkGiven, checkText } from "./wrong-call.ts";

export type {
  Breaker,
  BreakersAnswer,
  FiringsAnswer,
  GatesAnswer,
  Letter,
  LetterSelection,
  Trigger,
  TriggerFiring,
  TriggersAnswer,
  WholeLetter,
};

export interface AnswerOptions extends DriveOptions {
  /** Which one, when several wait: its `name`. */
  readonly gate?: string;
  /** Texts that the option asks for; for questions, the answers by id. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Who answers, recorded as a claim beside the user of the operating system. */
  readonly by?: string;
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
export const gates = {
  list: async (options: StoreOptions = {}): Promise<GatesAnswer> => {
    await checkGiven("gates.list", options, STANDING);
    return (await import("../../services/gates/gates.ts")).listGates(standingOf(options));
  },
  answer: async (run: string, value: string, options: AnswerOptions = {}): Promise<Result> => {
    checkText(calledAs(options, "gates.answer"), "the id of a run", run);
    checkText(calledAs(options, "gates.answer"), "the value of an option", value);
    await checkGiven("gates.answer", options, [...DRIVING, "gate", "answers", "by"]);
    const { gate, answers = {}, by, ...rest } = options;
    const { answerGate } = await import("../../services/gates/gates.ts");
    const { session, listeners } = await drivingOf(rest);
    const request = { run, value, inputs: answers, via: "library", ...given({ gate, as: by }) };
    return answerGate(session, request, listeners);
  },
};

export interface LettersAnswer<One extends Letter = Letter> extends Head {
  readonly letters: readonly One[];
}

/** The result of the run that was driven on; of the worst, when there were several. Only a head when there was nothing to retry. */
export interface RetryAnswer extends Head, Partial<Omit<Result, keyof Head>> {
  readonly letters: readonly Letter[];
  readonly results?: readonly Result[];
}

const SELECTION = allOf<LetterSelection>()(["ids", "kind", "workflow", "run", "since"]);
const ofLetters = () => import("../../services/dead-letters/letters.ts");

/**
 * Dead letters: `list` them, `show` one, `retry` exactly the failed steps and items in their runs, or `drop` them.
 *
 * @example
 * const { letters: open } = await letters.list({ kind: "http.*", since: "1d" });
 * console.log(open.map(({ node_id, item_key, message }) => `${node_id} ${item_key ?? ""}: ${message}`));
 * const { success } = await letters.retry({ kind: "http.*" });
 *
 * @deprecated Use `segno.letters` of a client, which `createSegno` makes.
 */
export const letters = {
  list: async (options: StoreOptions & LetterSelection & { readonly all?: boolean } = {}): Promise<LettersAnswer> => {
    await checkGiven("letters.list", options, [...STANDING, ...SELECTION, "all"]);
    return (await ofLetters()).listLetters(standingOf(options), givenOf(options, [...SELECTION, "all"]));
  },
  show: async (id: string, options: StoreOptions = {}): Promise<LettersAnswer<WholeLetter>> => {
    await checkCall("letters.show", ["the id of a letter", id], options, STANDING);
    return (await ofLetters()).showLetter(standingOf(options), { id });
  },
  retry: async (
    selection: LetterSelection,
    options: DriveOptions & Pick<ResumeOptions, "maxIterations" | "maxVisits"> = {},
  ): Promise<RetryAnswer> => {
    await checkGiven("letters.retry", selection, SELECTION);
    await checkGiven("letters.retry", options, [...DRIVING, "maxIterations", "maxVisits"]);
    const { retryLetters } = await ofLetters();
    const { session, listeners } = await drivingOf(options);
    const { maxIterations, maxVisits } = options;
    const request = { ...givenOf(selection, SELECTION), maxIterations, maxVisits, staysBehindGates: true };
    return retryLetters(session, request, listeners);
  },
  drop: async (selection: LetterSelection, options: StoreOptions = {}): Promise<LettersAnswer> => {
    await checkGiven("letters.drop", selection, SELECTION);
    await checkGiven("letters.drop", options, STANDING);
    return (await ofLetters()).dropLetters(standingOf(options), givenOf(selection, SELECTION));
  },
};

const ofBreakers = () => import("../../services/resilience/breakers.ts");

/**
 * Circuit breakers: `list` how each stands, or `reset` one, which closes it.
 *
 * @example
 * for (const { name, status } of (await breakers.list()).breakers) if (status === "open") await breakers.reset(name);
 *
 * @deprecated Use `segno.breakers` of a client, which `createSegno` makes.
 */
export const breakers = {
  list: async (options: StoreOptions = {}): Promise<BreakersAnswer> => {
    await checkGiven("breakers.list", options, STANDING);
    return (await ofBreakers()).listBreakers(standingOf(options));
  },
  reset: async (name: string, options: StoreOptions = {}): Promise<BreakersAnswer> => {
    await checkCall("breakers.reset", ["the name of a breaker", name], options, STANDING);
    return (await ofBreakers()).resetBreaker(standingOf(options), { name });
  },
};

export interface FireOptions extends DriveOptions {
  /** What stands for the body of a webhook. */
  readonly body?: unknown;
  /** What stands for the run that ended, of a trigger that follows runs. */
  readonly run?: string;
}

const TRIGGER = "the name of a trigger";
const ofTriggers = () => import("../../features/triggers/index.ts");

const pausing =
  (call: string, paused: boolean) =>
  async (name: string, options: StoreOptions = {}) => {
    await checkCall(call, [TRIGGER, name], options, STANDING);
    return (await ofTriggers()).pauseTrigger(standingOf(options), { now: Date.now(), name, paused });
  };

/** Triggers of the project that the working folder is in. */
export const triggers = {
  list: async (options: StoreOptions = {}): Promise<TriggersAnswer> => {
    await checkGiven("triggers.list", options, STANDING);
    return (await ofTriggers()).listTriggers(standingOf(options), { now: Date.now() });
  },
  get: async (name: string, options: StoreOptions = {}): Promise<TriggersAnswer> => {
    await checkCall("triggers.get", [TRIGGER, name], options, STANDING);
    return (await ofTriggers()).showTrigger(standingOf(options), { now: Date.now(), name });
  },
  history: async (options: StoreOptions & { name?: string; limit?: number } = {}): Promise<FiringsAnswer> => {
    await checkGiven("triggers.history", options, [...STANDING, "name", "limit"]);
    const { name, limit = 20 } = options;
    return (await ofTriggers()).triggerHistory(standingOf(options), { limit, ...given({ name }) });
  },
  pause: pausing("triggers.pause", true),
  resume: pausing("triggers.resume", false),
  fire: async (name: string, options: FireOptions = {}): Promise<Result> => {
    await checkCall("triggers.fire", [TRIGGER, name], options, [...DRIVING, "body", "run"]);
    const { body, run, ...rest } = options;
    const { fireTrigger } = await import("../../features/triggers/fire-by-hand.ts");
    const { session, listeners } = await drivingOf(rest);
    return fireTrigger(session, { name, now: Date.now(), ...given({ body, run }) }, listeners);
  },
};
