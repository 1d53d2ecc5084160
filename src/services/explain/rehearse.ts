// Rehearses what `segno resume` would do now: the engine interprets the current file over what is recorded. Nothing is
// written, no one is asked, and a step that would reach outside is only noted. A step that succeeded before is assumed
// to succeed the same way, so that the steps after it are known too.

import { type Outcome, raised } from "../../base/errors/index.ts";
import { keptIn } from "../../base/errors/mapping.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import type { BranchBody, BranchOptions } from "../../engine/durable.ts";
import type { FrameEnd } from "../../engine/ends.ts";
import { interpretRoot } from "../../engine/interpret.ts";
import type { Start } from "../../engine/keyframe.ts";
import type { Answer, Question } from "../../engine/people/ask.ts";
import { Definitions, type HashWorld } from "../../engine/visit/hash.ts";
import { type LoadedWorkflow, typesUsedIn } from "../../language/loaded.ts";
import { SPILL_FOLDER } from "../../steps/process/spill-file.ts";
import type { Executor } from "../../steps/step-type.ts";
import { answeredBy, loadExecutors } from "../../steps/types.ts";
import type { StepWorld } from "../../steps/world.ts";
import { VirtualClock } from "../../storage/clock.ts";
import { Drive } from "../../storage/drive.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore } from "../../storage/store.ts";
import { hashingFor } from "../drive/keyframe.ts";
import type { DriveSetup } from "../drive/setup.ts";
import { childOf } from "../reading/report.ts";
import type { Session } from "../session/session.ts";

interface Rehearsal {
  readonly reader: RunReader;
  readonly store: RunStore;
  readonly session: Session;
  readonly setup: DriveSetup;
  readonly start?: Start;
  readonly now: number;
  readonly changedFiles?: boolean;
  readonly maxIterations?: number;
  readonly maxVisits?: number;
  readonly on: (event: RunEvent) => void;
  /** A step that would run, with the digest of its definition. */
  readonly wouldRun: (key: string, definition: string) => void;
  /** A step that had ended well, and is not reused. */
  readonly runsAgain?: (key: string) => void;
  readonly asks?: (question: Question) => void;
}

/** Members of a group begin one after another; when none has for so long, all that can begin have. */
const QUIET_MS = 50;
const LONGEST_MS = 5000;
/**
 * Members of a group that may wait at the same time. More than a group allows itself: of what comes after a member
 * that would run, some is reused.
 */
const MEMBERS = 1000;

const NOT_DONE: Outcome = { ok: false, error: raised("internal.step_error", "this was a rehearsal") };

class RehearsedDrive extends Drive {
  override branches<Branch, End>(
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    options: BranchOptions<Branch, End>,
  ): Promise<readonly (End | undefined)[]> {
    return super.branches(branches, body, { ...options, concurrency: Math.max(options.concurrency, MEMBERS) });
  }
}

/** Plays a resume up to the steps that would really run, or to its end, which it gives back. */
export async function rehearse(rehearsal: Rehearsal): Promise<FrameEnd> {
  const { reader, store, session, setup } = rehearsal;
  const { workflow, inputs, state, recall, provider } = setup;
  const hashing = hashingFor(store, reader.runId, setup.session.env);
  const clock = new VirtualClock(rehearsal.now);
  const stop = new AbortController();
  const drive = new RehearsedDrive({
    log: { runId: state.runId, lastSeq: state.seq, append: () => {}, assertLease: () => undefined },
    clock,
    recall,
    // What is recorded after the stop is only about the stop.
    written: (events) => stop.signal.aborted || events.forEach(rehearsal.on),
    answers: {
      present: (question) => rehearsal.asks?.(question),
      get: () => undefined,
      // What people answered meanwhile.
      answerTo: async (question) =>
        (await store.state.gates.answerTo(reader.runId, question.key, question))?.answer as Answer | undefined,
      settle: () => undefined,
      forget: () => {},
    },
  });
  // What ended since the last step began is part of it.
  const end = (): void => {
    void drive.commit();
    stop.abort();
  };
  let quiet: NodeJS.Timeout | undefined;
  const settle = (): void => {
    clearTimeout(quiet);
    quiet = setTimeout(end, QUIET_MS);
  };
  const limit = setTimeout(end, LONGEST_MS);
  const definitions = definitionsOf(workflow, hashing);
  const endedBefore = (key: string) => {
    const last = recall.get(key)?.last;
    if (last?.ok) rehearsal.runsAgain?.(key);
    return last;
  };
  const carriedOut = (executor: Executor<never, unknown>): Executor<never, unknown> => ({
    ...executor,
    execute(prepared, attempt) {
      endedBefore(attempt.key);
      return executor.execute(prepared, attempt);
    },
  });
  const noted = (executor: Executor<never, unknown>): Executor<never, unknown> => ({
    ...executor,
    execute(_, { key, path, node, signal }) {
      void drive.commit();
      rehearsal.wouldRun(key, definitions(path).digest(node, executor.type, executor.version));
      settle();
      const last = endedBefore(key);
      if (last?.ok) return Promise.resolve({ ok: true, output: last.output });
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(NOT_DONE), { once: true }));
    },
  });
  const executorOf = await loadExecutors(typesUsedIn(workflow), session.extensions?.stepTypes);
  const executor = (type: string): Executor<never, unknown> =>
    // It touches nothing outside, and is carried out, so that what follows is known.
    answeredBy(type) === "nothing" ? carriedOut(executorOf(type)) : noted(executorOf(type));
  try {
    setup.begin(drive.note);
    const ended = await interpretRoot(
      {
        durable: drive,
        executor,
        world: { ...nowhere, files: setup.world.files },
        clock,
        spillDir: `${reader.folder}/${SPILL_FOLDER}`,
        hashing,
        rootDir: workflow.dir,
        provider,
        skipGates: false,
        activeSecondsBefore: recall.activeMs / 1000,
        startsFresh: () => false,
        rerunsChangedFiles: rehearsal.changedFiles ?? false,
        endOrphan: async () => false,
        defect: () => {},
        allowMore: async () => 0,
      },
      {
        workflow,
        inputs,
        reuse: true,
        signal: stop.signal,
        maxIterations: rehearsal.maxIterations,
        maxVisits: rehearsal.maxVisits,
        start: rehearsal.start,
      },
    );
    await drive.commit();
    return ended;
  } finally {
    clearTimeout(quiet);
    clearTimeout(limit);
    drive.abandon();
  }
}

function definitionsOf(root: LoadedWorkflow, hashing: HashWorld): (path: readonly string[]) => Definitions {
  const known = new Map<LoadedWorkflow, Definitions>();
  return (path) => {
    const workflow = path.reduce<LoadedWorkflow>((at, slot) => childOf(at, slot) ?? at, root);
    return keptIn(known, workflow, () => new Definitions(workflow, hashing));
  };
}

/** Nothing is reached. Hooks ask too; for them it went well. */
const nowhere: StepWorld = {
  env: {},
  run: async () => ({
    started: true,
    exitCode: 0,
    signal: null,
    stdout: silence,
    stderr: silence,
    errorFile: { text: "" },
  }),
  fetch: async () => ({ answered: false, code: "REHEARSAL", message: "nothing is sent" }),
  callTool: () => new Promise(() => {}),
  callModel: () => new Promise(() => {}),
};
const silence = { text: "", bytes: 0, truncated: false } as const;
