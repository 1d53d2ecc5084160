// Running and resuming from code: the same as the command line does, with the same result.
import type { Asker } from "../engine/people/ask.ts";
import type { Result } from "../results/result.ts";
import type { Clock } from "./clock.ts";
import { drivingOf } from "./driving.ts";
import type { Listener } from "./event.ts";
import type { Options } from "./options.ts";
import type { Store } from "./store.ts";
import { asked, type Workflow } from "./workflow.ts";
import { checkOptions, checkText, checkWorkflow } from "./wrong-call.ts";

/** What every call that drives a run can be given. */
export interface DriveOptions extends Options {
  /** Where the run is kept; the command line's store when left out. */
  readonly store?: Pick<Store, "home">;
  readonly clock?: Clock;
  /** Hears every event, redacted: a function, or one for each type. What it throws is told once as a warning of the process; the run goes on. */
  readonly on?: Listener;
  /** Stops the run; it stays resumable. */
  readonly signal?: AbortSignal;
  /** Answers gates and questions; without it a gate pauses the run. */
  readonly ask?: Asker;
}

export interface RunOptions extends DriveOptions {
  /** By name. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly maxIterations?: number;
  /** Whom agents ask, whatever the file says. */
  readonly provider?: string;
  /** Take the first option of every gate. */
  readonly skipGates?: boolean;
  /** Of `run`: a scenario, whose scripted answers stand in for the outside. */
  readonly scenario?: string;
  /** Of `run`: `power` has each step on disk before the next begins. */
  readonly durability?: "process" | "power";
}

export interface ResumeOptions extends Omit<RunOptions, "scenario" | "durability"> {
  /** Another workflow file than the run was driven with so far: an edited copy. */
  readonly file?: string;
  /** Start at this step. */
  readonly from?: string;
  /** Reuse nothing. */
  readonly force?: boolean;
}

/**
 * Runs a workflow to its end, to a gate that nobody answers, or to an error that nobody handles. It does not reject for
 * any of these: the result says how it went, and `checkpoint.resumable` whether `resume` can go on.
 *
 * @example
 * const result = await run("release.yaml", {
 *   inputs: { version: "1.2.0" },
 *   on: { agent_failed: ({ data }) => console.error(data.agent_name, data.message) },
 * });
 * if (!result.success) console.error(result.error, result.errors[0]?.hint);
 */
export async function run(workflow: Workflow | string, given: RunOptions = {}): Promise<Result> {
  checkWorkflow("run", workflow);
  await checkOptions("run", given);
  const { runWorkflow } = await import("../services/run.ts");
  const { file, options } = asked(workflow, given);
  const { scenario, durability } = options;
  return runWorkflow({
    ...(await drivingOf(options)),
    file,
    ...(scenario === undefined ? {} : { scenario }),
    ...(durability === undefined ? {} : { durability }),
  });
}

/**
 * Goes on with a run where it stopped, with the file and the inputs as they are now. Completed steps are reused unless
 * they, or what they read, changed.
 *
 * @example
 * const failed = await run("release.yaml");
 * // … mend the file, or what was missing …
 * const result = await resume(failed.run_id ?? "");
 */
export async function resume(runId: string, options: ResumeOptions = {}): Promise<Result> {
  checkText("resume", "the id of a run", runId);
  await checkOptions("resume", options);
  const { resumeRun } = await import("../services/resume.ts");
  const { from, force, file } = options;
  return resumeRun({
    ...(await drivingOf(options)),
    target: runId,
    ...(file === undefined ? {} : { file }),
    ...(from === undefined ? {} : { from }),
    ...(force === undefined ? {} : { force }),
  });
}
