// From what the library was given to what services ask for. Not part of the public types: these need more than users have.

import { OwnCodeFault, ownCodeFault } from "../../base/errors/envelope.ts";
import type { Question } from "../../engine/people/ask.ts";
import { definitionFile } from "../../services/own-steps/definition.ts";
import type { DriveListeners, FaceAsker, GivenInput } from "../../services/request.ts";
import type { Extensions } from "../../services/session/extensions.ts";
import { environmentHere, openSession, type Session } from "../../services/session/session.ts";
import type { HostClock } from "../../storage/clock.ts";
import type {
  Answer,
  Asker,
  Clock,
  Listener,
  Options,
  ResumeOptions,
  RunEvent,
  RunOptions,
  StoreOptions,
} from "./options.ts";
import { CLIENT_USER, LIBRARY_USER } from "./reader.ts";
import { isThroughClient, placedListener, shown, thrown } from "./wording.ts";

export const sessionOf = (options: Pick<Options, "cwd" | "env">): Session => ({
  cwd: options.cwd ?? process.cwd(),
  env: environmentHere(options.env),
  reader: isThroughClient(options) ? CLIENT_USER : LIBRARY_USER,
});

export async function extensionsOf({
  steps = [],
  providers = [],
  workflows = [],
  cwd,
  clock,
}: Options & { readonly clock?: Clock }): Promise<Extensions> {
  const { extensionsFrom } = await import("../../services/session/extensions.ts");
  const time = clock ? { clock: hostClock(clock) } : {};
  if (steps.length === 0 && workflows.length === 0) return { ...(await extensionsFrom({ providers })), ...time };
  const { endedBySignal } = await import("../../services/own-steps/own-step.ts");
  const bounded = steps.map((own) => ({
    ...own,
    execute: endedBySignal(own.execute, () => `\`execute\` of the step type ${own.type}`),
  }));
  const own = { ...(await extensionsFrom({ steps: bounded, providers })), ...time };
  if (workflows.length === 0) return own;
  const { definedFiles, withDefined } = await import("../../services/project/defined-files.ts");
  return workflows.reduce<Extensions>((all, definition) => {
    const { defined, functions } = definedFiles(definition, definitionFile(definition, cwd));
    const ending = [...functions].map(
      ([name, run]) => [name, endedBySignal(run, ({ node }) => `the function of the step ${node}`)] as const,
    );
    return withDefined(all, { defined, functions: new Map(ending) });
  }, own);
}

const hostClock = (clock: Clock): HostClock => ({
  now: () => clock.now(),
  sleep: (ms, signal) => clock.sleep(ms, signal),
  after(ms, run) {
    if (clock.after) return clock.after(ms, run);
    const off = new AbortController();
    void clock.sleep(ms, off.signal).then(() => {
      if (!off.signal.aborted) run();
    });
    return () => off.abort();
  },
});

export const standingOf = (options: StoreOptions): Session =>
  openSession({ ...sessionOf(options), home: options.store?.home, fleet: options.store?.fleet });

/** The same, with the step types and providers of the caller. */
export const standingWith = async (options: StoreOptions & Pick<Options, "steps" | "providers">): Promise<Session> => ({
  ...standingOf(options),
  extensions: await extensionsOf(options),
});

/** All names of these options: a list without one of them does not compile. */
export const allOf =
  <Options>() =>
  <const Names extends readonly (keyof Options)[]>(
    names: Exclude<keyof Options, Names[number]> extends never ? Names : never,
  ) =>
    names as Names;

export const STANDING: readonly string[] = ["cwd", "env", "store"] satisfies (keyof StoreOptions)[];
export const LOADING: readonly string[] = ["cwd", "env", "steps", "providers"];

/** Without the options that were not given: services tell those apart from undefined. */
export const given = <Options extends object>(
  options: Options,
): { [Name in keyof Options]: Exclude<Options[Name], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;

/** Of these options those that were given. */
export const givenOf = <Options extends object, Name extends keyof Options>(options: Options, names: readonly Name[]) =>
  given(Object.fromEntries(names.map((name) => [name, options[name]])) as Pick<Options, Name>);

export const DRIVING: readonly string[] = [...STANDING, "steps", "providers", "clock", "on", "signal", "ask"];

export async function drivingOf(options: RunOptions & Pick<ResumeOptions, "maxVisits">) {
  const { inputs = {}, on, signal, ask, maxIterations, maxVisits, provider, skipGates } = options;
  const following = placedListener(options);
  const listeners: DriveListeners = {
    ...(on ? { on: listening(on) } : {}),
    ...(signal ? { signal } : {}),
    ...(ask ? { ask: asking(ask), askedVia: "library" } : {}),
    ...(following ? { following } : {}),
  };
  return {
    session: { ...standingOf(options), extensions: await extensionsOf(options) },
    listeners,
    asked: { inputs: await inputsOf(inputs), ...given({ maxIterations, maxVisits, provider, skipGates }) },
  };
}

/** Each as it will be read from the journal, or why it cannot be kept there. */
export async function inputsOf(inputs: Readonly<Record<string, unknown>>): Promise<Record<string, GivenInput>> {
  const names = Object.keys(inputs);
  if (names.length === 0) return {};
  const { inputOf } = await import("./outcome-of.ts");
  return Object.fromEntries(names.map((name) => [name, inputOf(() => inputs[name])]));
}

// Functions that a run was given by its user, called so that what goes wrong in them does not hurt the run.

/** A listener cannot stop a run: its first exception becomes a process warning, and it still gets the next event. */
function listening(on: Listener): (event: RunEvent) => void {
  const hear = typeof on === "function" ? on : byType(on);
  let isWarned = false;
  const warn = ({ type }: RunEvent, problem: unknown): void => {
    if (isWarned) return;
    isWarned = true;
    process.emitWarning(
      `\`on\` threw at the event ${type}: ${thrown(problem)}. The run goes on; further exceptions of this listener are not reported.`,
      "SegnoListenerWarning",
    );
  };
  return (event) => {
    try {
      const later = hear(asRecorded(event));
      if (later instanceof Promise) later.catch((problem: unknown) => warn(event, problem));
    } catch (problem) {
      warn(event, problem);
    }
  };
}

/** As the journal has it: a field without a value is not there, for `in` and for `Object.keys`. */
function asRecorded(event: RunEvent): RunEvent {
  const fields = Object.entries(event.data);
  const given = fields.filter(([, value]) => value !== undefined);
  return given.length === fields.length ? event : ({ ...event, data: Object.fromEntries(given) } as RunEvent);
}

const byType =
  (on: Exclude<Listener, (event: RunEvent) => unknown>) =>
  (event: RunEvent): unknown =>
    // Each is kept under the type that it takes, which the compiler cannot follow.
    (on[event.type] as ((event: RunEvent) => unknown) | undefined)?.(event);

/** What `ask` throws, or gives that is no answer, is an error of the step that asked. */
const asking =
  (ask: Asker): FaceAsker =>
  async (question, signal, { progress }) => {
    let answer: unknown;
    try {
      answer = await ask(question, signal, progress);
    } catch (problem) {
      if (signal.aborted) return undefined;
      throw new OwnCodeFault(ownCodeFault("`ask`", `\`ask\` threw at ${question.node}: ${thrown(problem)}`, problem));
    }
    if (answer === undefined || isAnswerTo(question, answer)) return answer;
    throw new OwnCodeFault(
      ownCodeFault(
        "`ask`",
        `\`ask\` gave ${shown(answer)} at ${question.node}; it must give an answer of the kind ${question.kind}, or undefined when no one can be asked.`,
      ),
    );
  };

const isAnswerTo = ({ kind }: Question, answer: unknown): answer is Answer =>
  typeof answer === "object" && answer !== null && "kind" in answer && answer.kind === kind;
