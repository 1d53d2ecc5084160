// Drives a run to its next end: sets up the port, the world and the exit for events, interprets, tells the end.
// `run`, `resume`, `gate answer` and `dlq retry` all come through here.
import { setMaxListeners } from "node:events";
import { conclude } from "../engine/conclude.ts";
import type { Guard } from "../engine/guard/guard.ts";
import { type Engine, type FrameEnd, interpretRoot, type OutcomeCache } from "../engine/index.ts";
import type { HashWorld } from "../engine/visit/hash.ts";
import { apply } from "../events/fold.ts";
import type { Recall } from "../events/recall.ts";
import type { RunEvent } from "../events/registry.ts";
import type { RunState } from "../events/state.ts";
import type { HostClock } from "../hosts/clock.ts";
import { type AnswerBox, Drive, type DriveLog } from "../hosts/embedded/drive.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { Redactor } from "../redact/index.ts";
import { endAttempt, endProcessGroup } from "../steps/outside.ts";
import { executorOf } from "../steps/registry.ts";
import type { StepWorld } from "../steps/world.ts";
import { type ExportTarget, exportEvents } from "./export-events.ts";
import type { Driving } from "./request.ts";

export interface RunDrive extends Driving {
  readonly log: DriveLog & ExportTarget & { readonly folder: string };
  readonly workflow: LoadedWorkflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly state: RunState;
  readonly recall: Recall;
  readonly clock: HostClock;
  readonly world: StepWorld;
  readonly redactor: Redactor;
  readonly answers?: AnswerBox;
  readonly cache?: OutcomeCache;
  /** Resilience and policies, when the run has any. */
  readonly guard?: Guard;
  readonly hashing: HashWorld;
  readonly maxIterations?: number;
  /** Whom agents ask, whatever the files say. */
  readonly provider?: string;
  readonly skipGates?: boolean;
  readonly force?: boolean;
  readonly from?: string;
  /** Errors that a scenario injects. */
  readonly inject?: Engine["inject"];
  /** Has the last word on how the run ended: a scenario that met something it has no script for. */
  readonly overrule?: (end: FrameEnd) => FrameEnd;
  /** Notes the events that begin this drive. */
  begin(note: Drive["note"]): void;
}

export interface Driven {
  readonly end: FrameEnd;
  readonly state: RunState;
}

export async function driveRun(run: RunDrive): Promise<Driven> {
  const { log, state, workflow, from } = run;
  const exporting = exportEvents(log, run.redactor, workflow.definition.workflow.name, run.on);
  const drive = new Drive({
    log,
    clock: run.clock,
    recall: run.recall,
    ask: run.ask,
    answers: run.answers,
    conceal: (data) => run.redactor.value(data) as object,
    written(events: readonly RunEvent[], dataTexts: readonly string[]) {
      for (const event of events) apply(state, event);
      exporting.write(events, dataTexts);
    },
  });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const cancel = (): void => stop.abort(new Error("cancelled"));
  if (run.signal?.aborted) cancel();
  run.signal?.addEventListener("abort", cancel, { once: true });
  try {
    run.begin(drive.note);
    const began = run.clock.now();
    let fresh = false;
    const reached = await interpretRoot(
      // Every field by name, see `Family.load`: this is read in every step.
      {
        durable: drive,
        executor: (type) => run.extensions?.executors?.[type] ?? executorOf(type),
        world: run.world,
        clock: run.clock,
        spillDir: `${log.folder}/outputs`,
        hashing: run.hashing,
        rootDir: workflow.dir,
        provider: run.provider,
        skipGates: run.skipGates ?? false,
        canAsk: run.ask !== undefined,
        activeSecondsBefore: run.recall.activeMs / 1000,
        cache: run.cache,
        guard: run.guard,
        startsFresh: (frame, node) => {
          fresh ||= frame.depth === 0 && node === from;
          return fresh;
        },
        inject: run.inject,
        endOrphan: ({ pid, started_at }) => endProcessGroup(pid, started_at),
        endAttempt,
        defect: (problem) => debug(run.env, problem),
        moreIterations: async (used) => (await run.askForMoreIterations?.(used)) ?? 0,
      },
      {
        workflow,
        inputs: run.inputs,
        maxIterations: run.maxIterations,
        reuse: run.force !== true,
        signal: stop.signal,
      },
    );
    const end = run.overrule?.(reached) ?? reached;
    drive.commit();
    conclude(end, drive.note, { elapsed: (run.clock.now() - began) / 1000, errorsJsonl: `${log.folder}/errors.jsonl` });
    drive.end();
    if (exporting.failure) {
      drive.note([], "errors_jsonl_write_failed", {
        reason: exporting.failure.reason,
        path: `${log.folder}/errors.jsonl`,
      });
      drive.end();
    }
    return { end, state };
  } catch (problem) {
    // The store failed, or there is a defect: what still runs is ended, and nothing half-written looks whole.
    stop.abort(problem);
    drive.abandon();
    throw problem;
  } finally {
    run.signal?.removeEventListener("abort", cancel);
  }
}

function debug(env: Driving["env"], problem: unknown): void {
  if (env.SEGNO_DEBUG) process.stderr.write(`${problem instanceof Error ? problem.stack : String(problem)}\n`);
}
