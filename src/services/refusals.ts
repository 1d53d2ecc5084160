// The one way to refuse: `Refused` is thrown, carries the result that says why, and becomes the answer at the service's
// door (`withRefusals`). A file or inputs that do not load, a run that is not there, a store that cannot be used.

import type { Awaitable } from "../base/awaitable.ts";
import { stepsNamedIn } from "../base/events/asker-name.ts";
import {
  COMMAND_LINE,
  crashResult,
  findingEntries,
  inputEntry,
  invalidResult,
  type Reader,
  type Refusal,
  type Result,
  refusedResult,
} from "../base/results/index.ts";
import type { InputProblem } from "../engine/children/inputs.ts";
import type { Finding, LoadedWorkflow } from "../language/loaded.ts";
import { ChangedInDatabase, LeaseHeld, LeaseLost, StoreError } from "../storage/store-error.ts";
import { isCodeFile } from "./own-steps/definition.ts";
import { Exit, type Exiting } from "./session/exit.ts";
import { shownPath } from "./session/files.ts";
import type { Session } from "./session/session.ts";

export class Refused extends Error {
  override readonly name: string = "Refused";

  constructor(readonly result: Result) {
    super(result.errors[0]?.message ?? "refused");
  }
}

/** @example throw refusal(`there is no step ${name}`, { suggestions: nearest(name, names) }); */
export const refusal = (
  message: string,
  { runId, ...more }: Omit<Refusal, "message"> & { readonly runId?: string } = {},
): Refused => new Refused(refusedResult({ message, ...more }, { runId }));

/** Callers that return no result, such as `runEvents`, let this propagate: as an error, its message has the hint as well. */
export class UnknownRun extends Refused {
  override readonly name = "UnknownRun";

  constructor(run: string, reader: Reader = COMMAND_LINE) {
    const message = `there is no run ${run}`;
    const hint = `\`${reader.ask({ to: "list runs" })}\` lists those that are there.`;
    super(refusedResult({ message, hint }));
    this.message = `${message}. ${hint}`;
  }
}

/** Whatever is there instead, the answer is the same: a server tells nothing of files that are no workflows. */
export class UnknownWorkflow extends Refused {
  override readonly name = "UnknownWorkflow";

  constructor(file: string, roots: readonly string[]) {
    super(
      refusedResult({
        message: `there is no workflow file ${file} below ${roots.join(" or ")}`,
        errorType: "UnknownWorkflow",
        hint: isCodeFile(file)
          ? "Workflows in TypeScript are not read here: a person runs them in a terminal, or a program does."
          : "A workflow file ends in .yaml or .yml, has `workflow:` at its top, and is not hidden: no part of its path begins with a dot.",
      }),
    );
  }
}

export function invalidWorkflow(findings: readonly Finding[], file: string, cwd: string): Refused {
  const { errors, warnings } = findingEntries(findings, { path: (path) => shownPath(path, cwd) });
  return new Refused(invalidResult(errors, { file: shownPath(file, cwd), warnings }));
}

export function invalidInputs(
  problems: readonly InputProblem[],
  workflow: LoadedWorkflow,
  { cwd, reader }: Pick<Session, "cwd" | "reader">,
): Refused {
  const errors = problems.map((problem) => inputEntry(problem, reader));
  return new Refused(invalidResult(errors, aboutWorkflow(workflow, cwd)));
}

/** The type of the error when another process has the run. */
export const DRIVEN = "Driven";

function drivenElsewhere({ runId, pid, host, since, watchMs }: LeaseHeld, reader: Reader): Refused {
  // A process on another machine or in another container cannot be sent a signal.
  const takeOver = watchMs === undefined ? null : reader.ask({ to: "take over", run: runId });
  const hint =
    takeOver === null
      ? `Wait for it to end, or stop it with: ${reader.ask({ to: "cancel", run: runId })}`
      : `It is alive, but on another machine or in another container. Stop it there, or take the run over with: ${takeOver}`;
  const who = `pid ${pid} on ${host}, since ${since}`;
  return refusal(`the run ${runId} is being driven by another process: ${who}`, { runId, errorType: DRIVEN, hint });
}

const aboutWorkflow = (workflow: LoadedWorkflow, cwd: string) => ({
  file: shownPath(workflow.file, cwd),
  workflow: workflow.definition.workflow.name,
});

/** While a run is made or driven: whatever the store cannot do is about this workflow. */
export function asRefusalOf(
  problem: unknown,
  workflow: LoadedWorkflow,
  { cwd, reader = COMMAND_LINE }: Pick<Session, "cwd" | "reader">,
): unknown {
  if (problem instanceof StoreError || problem instanceof LeaseLost)
    return crashed(problem, reader, aboutWorkflow(workflow, cwd));
  return asRefusal(problem, reader);
}

/** What a store cannot do, in its own words; anything else is a defect and stays what it is. */
export function asRefusal(problem: unknown, reader: Reader = COMMAND_LINE): unknown {
  if (problem instanceof LeaseHeld) return drivenElsewhere(problem, reader);
  if (problem instanceof LeaseLost) return crashed(problem, reader);
  if (!(problem instanceof StoreError)) return problem;
  // Looked up by the user: there is no such run.
  if (problem.code === "missing" || problem.code === "ambiguous")
    return refusal(problem.message, { hint: `${reader.ask({ to: "list runs" })} lists those that are there.` });
  return crashed(problem, reader);
}

function crashed(
  problem: StoreError | LeaseLost,
  reader: Reader,
  about: Partial<ReturnType<typeof aboutWorkflow>> = {},
): Refused {
  const whose = problem instanceof LeaseLost ? { ...about, runId: problem.runId } : about;
  const result = crashResult(problem, whose, problem.name);
  const hint =
    problem instanceof StoreError
      ? storeHint(problem, reader)
      : `What becomes of it: ${reader.ask({ to: "follow", run: problem.runId })}`;
  return new Refused(
    hint === undefined ? result : { ...result, errors: result.errors.map((entry) => ({ ...entry, hint })) },
  );
}

/** What to do about a store that cannot be used, for a reader who can do something about it. */
function storeHint(problem: StoreError, reader: Reader): string | undefined {
  if (problem instanceof ChangedInDatabase) return hintOfChanged(problem, reader);
  const { code } = problem;
  const prune = reader.ask({ to: "prune" });
  const examine = reader.ask({ to: "examine" });
  if (code === "readonly" || code === "newer")
    return `Name another place for runs with ${reader.give({ what: "home" })}.`;
  if (code === "full") return prune === null ? undefined : `${prune} removes old runs.`;
  if (examine === null) return undefined;
  if (code === "corrupt")
    return `${examine} says what can still be read; ${reader.ask({ to: "reindex" })} makes a lost index anew.`;
  return code === "io" || code === "missing" ? `${examine} looks for the reason.` : undefined;
}

/** An answer that was changed in the database is replaced when the gate asks again. */
function hintOfChanged({ runId, key }: ChangedInDatabase, reader: Reader): string | undefined {
  const resume = runId === undefined ? null : reader.ask({ to: "resume", run: runId });
  if (resume === null || key === undefined) return undefined;
  const from = reader.give({ what: "option", name: "from", value: stepsNamedIn(key)[0] ?? key });
  return `To discard it and ask again: ${resume}, with ${from}. Also check who can write to the database.`;
}

/** The caller: refusals name commands or calls in the caller's own terms. */
type Asking = Pick<Session, "reader"> & Partial<Pick<Session, "env">> & Exiting;

/** Where what is read for an answer tells its secrets. */
export type Answering<Session> = Session & { readonly exit: Exit };

/**
 * Gives what the work gives; when it was refused, what `whenRefused` makes of the result. A refusal quotes what was asked and
 * what is there, so it leaves through the exit.
 */
export async function withRefusals<Caller extends Asking, Answer, Refusing = Result>(
  session: Caller,
  work: (session: Answering<Caller>) => Awaitable<Answer>,
  whenRefused?: (result: Result) => Refusing,
): Promise<Answer | Refusing> {
  const own = answering(session);
  try {
    return await work(own);
  } catch (problem) {
    return refusing(problem, own, whenRefused);
  }
}

interface Leaving {
  /** In the answer is data of runs, in which names say what is a secret. */
  readonly hidesNames?: boolean;
}

/** For answers with more than a result: `rest` is what they have beside it when they are refused. All of it leaves through the exit. */
export const orRefused = <Caller extends Asking, Answer, Rest extends object>(
  session: Caller,
  rest: Rest,
  work: (session: Answering<Caller>) => Awaitable<Answer>,
  leaving?: Leaving,
): Promise<Answer | (Result & Rest)> =>
  withRefusals(
    session,
    async (own) => own.exit.answer(await work(own), leaving),
    (result) => ({ ...result, ...rest }),
  );

/** The same for what needs no store. */
export function orRefusedAtOnce<Caller extends Asking, Answer, Rest extends object>(
  session: Caller,
  rest: Rest,
  work: (session: Answering<Caller>) => Answer,
): Answer | (Result & Rest) {
  const own = answering(session);
  try {
    return own.exit.answer(work(own));
  } catch (problem) {
    return refusing(problem, own, (result) => ({ ...result, ...rest }));
  }
}

const answering = <Caller extends Asking>(session: Caller): Answering<Caller> => ({
  ...session,
  exit: new Exit(session.env ?? {}, session.exit),
});

function refusing<Refusing>(
  problem: unknown,
  { reader, exit }: Answering<Asking>,
  whenRefused?: (result: Result) => Refusing,
): Refusing {
  const refused = asRefusal(problem, reader);
  if (!(refused instanceof Refused)) throw refused;
  const result = exit.answer(refused.result);
  return whenRefused ? whenRefused(result) : (result as Refusing);
}
