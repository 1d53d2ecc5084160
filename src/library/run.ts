// Running and resuming from code: the same as the command line does, with the same result.
import type { Result } from "../results/result.ts";
import type { Driving } from "../services/request.ts";
import { asking, listening } from "./own-functions.ts";
import type { ResumeOptions, RunOptions } from "./run-options.ts";
import { extensionsOf, surroundingsOf } from "./services-of.ts";
import { asked, type Workflow } from "./workflow.ts";
import { checkOptions, checkText, checkWorkflow } from "./wrong-call.ts";

/**
 * Runs a workflow to its end, to a gate that nobody answers, or to an error that nobody handles. It does not reject for
 * any of these: the result says how it went, and `checkpoint.resumable` whether `resume` can go on.
 *
 * @example
 * const result = await run("release.yaml", {
 *   inputs: { version: "1.2.0" },
 *   on: ({ type, data }) => console.log(type, data.agent_name),
 * });
 * if (!result.success) console.error(result.error, result.errors[0]?.hint);
 */
export async function run(workflow: Workflow | string, given: RunOptions = {}): Promise<Result> {
  checkWorkflow("run", workflow);
  await checkOptions("run", given);
  const { runWorkflow } = await import("../services/run.ts");
  const { file, options } = asked(workflow, given);
  return runWorkflow({ ...(await drivingOf(options)), file });
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
  const { from, force } = options;
  return resumeRun({
    ...(await drivingOf(options)),
    target: runId,
    ...(from === undefined ? {} : { from }),
    ...(force === undefined ? {} : { force }),
  });
}

async function drivingOf(options: RunOptions) {
  const { inputs = {}, store, on, signal, ask, maxIterations } = options;
  const driving: Driving = {
    ...surroundingsOf(options),
    extensions: await extensionsOf(options),
    ...(store?.home ? { home: store.home } : {}),
    ...(on ? { on: listening(on) } : {}),
    ...(signal ? { signal } : {}),
    ...(ask ? { ask: asking(ask) } : {}),
  };
  return {
    ...driving,
    inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }])),
    ...(maxIterations === undefined ? {} : { maxIterations }),
  };
}
