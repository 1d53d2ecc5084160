// What a call that drives a run was given, in the words of services. Not part of the public types, as services-of.ts.
import type { Question } from "../engine/people/ask.ts";
import { OwnCodeFault, ownCodeFault } from "../errors/own-code.ts";
import type { DriveListeners, FaceAsker } from "../services/request.ts";
import { placedListener } from "./called-as.ts";
import type { Listener, RunEvent } from "./event.ts";
import type { Answer, Asker, RunOptions } from "./run-options.ts";
import { extensionsOf } from "./services-of.ts";
import { shown, thrown } from "./shown.ts";
import { given, STANDING, standingOf } from "./standing.ts";

/** The names of the options that every call that drives a run takes. */
export const DRIVING: readonly string[] = [...STANDING, "steps", "providers", "clock", "on", "signal", "ask"];

export async function drivingOf(options: RunOptions) {
  const { inputs = {}, on, signal, ask, maxIterations, provider, skipGates } = options;
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
    asked: {
      inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }])),
      ...given({ maxIterations, provider, skipGates }),
    },
  };
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
      `\`on\` threw at the event ${type}: ${thrown(problem)}. The run goes on; further exceptions of this listener are not told.`,
      "SegnoListenerWarning",
    );
  };
  return (event) => {
    try {
      const later = hear(event);
      if (later instanceof Promise) later.catch((problem: unknown) => warn(event, problem));
    } catch (problem) {
      warn(event, problem);
    }
  };
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
        `\`ask\` gave ${shown(answer)} at ${question.node}; it must give an answer of the kind ${question.kind}, or undefined when nobody is there.`,
      ),
    );
  };

const isAnswerTo = ({ kind }: Question, answer: unknown): answer is Answer =>
  typeof answer === "object" && answer !== null && "kind" in answer && answer.kind === kind;
