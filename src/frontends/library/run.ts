// Running and resuming from code: the same as the command line does, with the same result.
import type { Result } from "../../base/results/result.ts";
import { keepCodeFor } from "../../services/session/kept-code.ts";
import type { ResumeOptions, RunOptions } from "./options.ts";
import { drivingOf } from "./services-of.ts";
import { calledAs } from "./wording.ts";
import { asked, type WorkflowLike } from "./workflow.ts";
import { checkOptions, checkText, checkWorkflow } from "./wrong-call.ts";

/**
 * Runs a workflow to its end, to an unanswered gate, or to an unhandled error. It does not reject for any of these: the
 * result says how it went, and `checkpoint.resumable` whether `resume` can go on.
 *
 * @example
 * const result = await run("release.yaml", {
 *   inputs: { version: "1.2.0" },
 *   on: { agent_failed: ({ data }) => console.error(data.agent_name, data.message) },
 * });
 * if (!result.success) console.error(result.error, result.errors[0]?.hint);
 *
 * @deprecated Use `segno.run` of a client, which `createSegno` makes.
 */
export async function run(workflow: WorkflowLike, given: RunOptions = {}): Promise<Result> {
  checkWorkflow(calledAs(given, "run"), workflow);
  await checkOptions("run", given);
  keepCodeFor("library run");
  const { runWorkflow } = await import("../../services/runs/run.ts");
  const { file, options } = asked(workflow, given);
  const { scenario, durability, priority, name } = options;
  const { session, asked: request, listeners } = await drivingOf(options);
  return runWorkflow(
    session,
    { ...request, file, scenario, durability, queue: { priority }, origin: { name } },
    listeners,
  );
}

/**
 * Goes on with a run where it stopped, with the file and the inputs as they are now. Completed steps are reused unless
 * they, or what they read, changed.
 *
 * @example
 * const failed = await run("release.yaml");
 * // … mend the file, or what was missing …
 * const result = await resume(failed.run_id ?? "");
 *
 * @deprecated Use `segno.runs.resume` of a client, which `createSegno` makes.
 */
export async function resume(runId: string, options: ResumeOptions = {}): Promise<Result> {
  checkText(calledAs(options, "resume"), "the id of a run", runId);
  await checkOptions("resume", options);
  keepCodeFor("library resume");
  const { resumeRun } = await import("../../services/runs/resume.ts");
  const { from, force, file, failedItems, changedFiles } = options;
  const { session, asked: request, listeners } = await drivingOf(options);
  return resumeRun(
    session,
    { ...request, target: runId, staysBehindGates: true, file, rerun: { from, force, failedItems, changedFiles } },
    listeners,
  );
}
