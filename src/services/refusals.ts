// What is answered when nothing can be run: a file or inputs that do not load, a run that is not there, a broken store.
import type { InputProblem } from "../engine/children/inputs.ts";
import { LeaseHeld, LeaseLost, StoreError } from "../hosts/embedded/store-error.ts";
import type { Finding, LoadedWorkflow } from "../language/loaded.ts";
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
} from "../results/index.ts";
import type { Surroundings } from "./request.ts";
import { shownPath } from "./shown-path.ts";

export function invalidWorkflow(findings: readonly Finding[], file: string, cwd: string): Result {
  const { errors, warnings } = findingEntries(findings, { path: (path) => shownPath(path, cwd) });
  return invalidResult(errors, { file: shownPath(file, cwd), warnings });
}

export function invalidInputs(
  problems: readonly InputProblem[],
  workflow: LoadedWorkflow,
  { cwd, reader }: Pick<Surroundings, "cwd" | "reader">,
): Result {
  const about = { file: shownPath(workflow.file, cwd), workflow: workflow.definition.workflow.name };
  return invalidResult(
    problems.map((problem) => inputEntry(problem, reader)),
    about,
  );
}

export const refused = (
  message: string,
  { runId, ...more }: Omit<Refusal, "message"> & { readonly runId?: string } = {},
): Result => refusedResult({ message, ...more }, runId === undefined ? {} : { runId });

/** The type of the error when another process has the run. */
export const DRIVEN = "Driven";

export const drivenElsewhere = ({ runId, pid, host, since }: LeaseHeld, reader: Reader = COMMAND_LINE): Result =>
  refused(`the run ${runId} is being driven by another process: pid ${pid} on ${host}, since ${since}`, {
    runId,
    errorType: DRIVEN,
    hint: `Wait for it to end, or stop it with: ${reader.ask({ to: "cancel", run: runId })}`,
  });

/** A run that was asked for and is not there. */
export const noSuchRun = (run: string, reader: Reader = COMMAND_LINE): string =>
  `there is no run ${run}. \`${reader.ask({ to: "list runs" })}\` lists those that are there.`;

/** A store that cannot be used is said in its own words; anything else is a defect and goes up. */
export function storeProblem(
  problem: unknown,
  workflow: LoadedWorkflow | undefined,
  { cwd, reader = COMMAND_LINE }: Pick<Surroundings, "cwd" | "reader">,
): Result {
  const about = workflow ? { file: shownPath(workflow.file, cwd), workflow: workflow.definition.workflow.name } : {};
  if (problem instanceof LeaseHeld) return drivenElsewhere(problem, reader);
  if (problem instanceof LeaseLost) return crashResult(problem, about, undefined, "LeaseLost");
  if (!(problem instanceof StoreError)) throw problem;
  // Looked up by the user: there is no such run. While a run is being made it is the store that is not there.
  if (!workflow && (problem.code === "missing" || problem.code === "ambiguous"))
    return refused(problem.message, { hint: `${reader.ask({ to: "list runs" })} lists those that are there.` });
  const result = crashResult(problem, about, undefined, "StoreError");
  const hint = storeHint(problem.code, reader);
  return hint === undefined ? result : { ...result, errors: result.errors.map((entry) => ({ ...entry, hint })) };
}

/** What to do about a store that cannot be used, for a reader who can do something about it. */
function storeHint(code: StoreError["code"], reader: Reader): string | undefined {
  const prune = reader.ask({ to: "prune" });
  const examine = reader.ask({ to: "examine" });
  if (code === "full") return prune === null ? undefined : `${prune} removes old runs.`;
  if (examine === null) return undefined;
  if (code === "corrupt")
    return `${examine} says what can still be read; ${reader.ask({ to: "reindex" })} makes a lost index anew.`;
  return code === "io" || code === "missing" ? `${examine} looks for the reason.` : undefined;
}
