// The one way to refuse: `Refused` is thrown, carries the result that says why, and becomes the answer at the service's
// door (answering.ts). A file or inputs that do not load, a run that is not there, a store that cannot be used.
import type { InputProblem } from "../engine/children/inputs.ts";
import { LeaseHeld, LeaseLost, StoreError } from "../hosts/store-error.ts";
import type { Finding, LoadedWorkflow } from "../language/loaded.ts";
import {
  crashResult,
  findingEntries,
  inputEntry,
  invalidResult,
  type Refusal,
  type Result,
  refusedResult,
} from "../results/index.ts";
import { shownPath } from "./shown-path.ts";

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
): Refused => new Refused(refusedResult({ message, ...more }, runId === undefined ? {} : { runId }));

/** Whoever has no result to hand out, as `runEvents`, lets this through. */
export class UnknownRun extends Refused {
  override readonly name = "UnknownRun";

  constructor(run: string) {
    super(refusedResult({ message: `there is no run ${run}. \`segno runs\` lists those that are there.` }));
  }
}

export function invalidWorkflow(findings: readonly Finding[], file: string, cwd: string): Refused {
  const { errors, warnings } = findingEntries(findings, { path: (path) => shownPath(path, cwd) });
  return new Refused(invalidResult(errors, { file: shownPath(file, cwd), warnings }));
}

export function invalidInputs(problems: readonly InputProblem[], workflow: LoadedWorkflow, cwd: string): Refused {
  return new Refused(
    invalidResult(
      problems.map((problem) => inputEntry(problem)),
      aboutWorkflow(workflow, cwd),
    ),
  );
}

/** The type of the error when another process has the run. */
export const DRIVEN = "Driven";

const drivenElsewhere = ({ runId, pid, host, since }: LeaseHeld): Refused =>
  refusal(`the run ${runId} is being driven by another process: pid ${pid} on ${host}, since ${since}`, {
    runId,
    errorType: DRIVEN,
    hint: `Wait for it to end, or stop it with: segno cancel ${runId}`,
  });

const aboutWorkflow = (workflow: LoadedWorkflow, cwd: string) => ({
  file: shownPath(workflow.file, cwd),
  workflow: workflow.definition.workflow.name,
});

/** While a run is made or driven: whatever the store cannot do is about this workflow. */
export function asRefusalOf(problem: unknown, workflow: LoadedWorkflow, cwd: string): unknown {
  if (problem instanceof StoreError)
    return new Refused(crashResult(problem, aboutWorkflow(workflow, cwd), undefined, "StoreError"));
  if (problem instanceof LeaseLost)
    return new Refused(crashResult(problem, aboutWorkflow(workflow, cwd), undefined, "LeaseLost"));
  return asRefusal(problem);
}

/** What a store cannot do, in its own words; anything else is a defect and stays what it is. */
export function asRefusal(problem: unknown): unknown {
  if (problem instanceof LeaseHeld) return drivenElsewhere(problem);
  if (problem instanceof LeaseLost) return new Refused(crashResult(problem, {}, undefined, "LeaseLost"));
  if (!(problem instanceof StoreError)) return problem;
  // Looked up by the user: there is no such run.
  if (problem.code === "missing" || problem.code === "ambiguous") return refusal(problem.message);
  return new Refused(crashResult(problem, {}, undefined, "StoreError"));
}
