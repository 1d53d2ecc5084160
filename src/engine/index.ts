// The engine as services see it: give it a world, a workflow and a port, and it says how the run ended.
import { readLates } from "../json/late.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { FrameEnd } from "./ends.ts";
import { type Calls, type Engine, WorkflowFrame } from "./frame.ts";
import { interpret } from "./interpret.ts";
import type { Start } from "./keyframe.ts";
import { runLostItems } from "./lost-items.ts";
import { LostMembers } from "./lost-members.ts";
import { endAllLeftRunning } from "./visit/carry-out.ts";
import { workOf } from "./work-of.ts";

export type { FrameEnd } from "./ends.ts";
export type { Engine } from "./frame.ts";
export type { OutcomeCache } from "./outcome-cache.ts";

export interface RootRun {
  readonly workflow: LoadedWorkflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly maxIterations?: number;
  /** Reuse what is recorded; false with `--force`. */
  readonly reuse: boolean;
  readonly signal: AbortSignal;
  /** What is recorded runs again, all of it or from a step on: nothing of it may still be running then. */
  readonly startsOver?: boolean;
  /** Where a keyframe stands, from which the drive goes on. */
  readonly start?: Start;
}

const calls: Calls = { interpret, workOf };

const rootFrame = (engine: Engine, run: Omit<RootRun, "signal">): WorkflowFrame =>
  new WorkflowFrame(engine, run.workflow, run.inputs, [], "", {
    calls,
    maxIterations: run.maxIterations,
    reuse: run.reuse,
    lost: new LostMembers(run.start?.position.lost),
  });

export async function interpretRoot(engine: Engine, run: RootRun): Promise<FrameEnd> {
  if (run.startsOver) await endAllLeftRunning(engine);
  const end = await interpret(rootFrame(engine, run), run.signal, run.start);
  // It outlives the run's journal.
  readLates(end);
  return end;
}

/** Of a run that has ended by itself: only these items run, and the run stays as it ended. */
export const interpretLostItems = (engine: Engine, run: RootRun, places: ReadonlySet<string>): Promise<void> =>
  runLostItems(rootFrame(engine, run), places, run.signal);
