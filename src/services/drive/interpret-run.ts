// From a setup to the next end of the run: the engine interprets, the port records, the end is recorded last.
import { setMaxListeners } from "node:events";
import { conclude } from "../../engine/conclude.ts";
import type { Guard } from "../../engine/guard/guard.ts";
import {
  type Engine,
  type FrameEnd,
  interpretLostItems,
  interpretRoot,
  type OutcomeCache,
  type RootRun,
} from "../../engine/index.ts";
import type { HashWorld } from "../../engine/visit/hash.ts";
import type { AnswerBox } from "../../hosts/asked-here.ts";
import { DriveLeft } from "../../hosts/idle-release.ts";
import type { RunLog } from "../../hosts/run-log.ts";
import type { CallTurns } from "../../steps/caller.ts";
import { endAttempt, endProcessGroup } from "../../steps/outside.ts";
import { SPILL_FOLDER } from "../../steps/process/spill-file.ts";
import { loadExecutors } from "../../steps/types.ts";
import { approving } from "../access/people.ts";
import { notifyPeople } from "../gates/notify.ts";
import { skippableWaits } from "../runs/skip-waits.ts";
import { hearStopRequest, StoppedBy } from "../runs/stop-request.ts";
import type { KeepingLog } from "../secrets/record-secrets.ts";
import { textsOf } from "../secrets/secret-inputs.ts";
import type { Session } from "../session/session.ts";
import type { ExportTarget } from "./export-events.ts";
import { areKeyframesOff, keepingKeyframes, keyframeDigest } from "./keyframe.ts";
import { askHere } from "./people-here.ts";
import { openPort } from "./port.ts";
import type { DriveRequest, DriveSetup } from "./setup.ts";

/** Where the drive writes, and what it shares with other runs. */
export interface DriveGround {
  readonly log: KeepingLog &
    ExportTarget & { readonly folder: string } & Partial<Pick<RunLog, "keepKeyframe" | "flush">>;
  readonly hashing: HashWorld;
  readonly answers?: AnswerBox;
  readonly cache?: OutcomeCache;
  readonly turns?: CallTurns;
  /** Resilience and policies, when the run has any. */
  readonly guard?: Guard;
}

export async function interpretRun(setup: DriveSetup, request: DriveRequest, ground: DriveGround): Promise<void> {
  const { session, state, workflow, clock, recall, redactor, scripted } = setup;
  const { people } = session.project ?? {};
  const { log, answers } = ground;
  const { leaving } = request;
  const executor = await loadExecutors(session.extensions?.stepTypes);
  const ask = scripted
    ? scripted.ask
    : request.ask && askHere(request.ask, { ...session, askedVia: request.askedVia, runId: state.runId });
  const signal = scripted ? scripted.signal : request.signal;
  const name = workflow.definition.workflow.name;
  const { port, exporting } = openPort({
    log,
    inherited: setup.inherited,
    facts: setup.keyframes?.facts,
    state,
    redactor,
    workflow: name,
    on: request.on,
    clock,
    recall,
    ask,
    answers,
    beginWait: skippableWaits(log.folder),
    // A wait that a scenario asserts is the same each time.
    ...(scripted ? { random: () => 0 } : {}),
    ...(leaving ? { portOf: (options) => leaving.portOf(options, scripted !== undefined) } : {}),
  });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  let leave: (reason: DriveLeft) => void = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = reject;
  });
  left.catch(() => {});
  const cancel = (): void =>
    signal?.reason instanceof DriveLeft ? leave(signal.reason) : stop.abort(new Error("cancelled"));
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  const stopHearing = hearStopRequest(log.folder);
  const errorsJsonl = `${log.folder}/errors.jsonl`;
  let interpreting: Promise<FrameEnd | undefined> | undefined;
  try {
    setup.begin(port.note);
    const began = clock.now();
    let fresh = false;
    // Every field by name, see `Family.load`: this is read in every step.
    const engine: Engine = {
      durable: port,
      executor: (type) => (scripted ? scripted.executor(executor(type)) : executor(type)),
      world: setup.world,
      clock,
      spillDir: `${log.folder}/${SPILL_FOLDER}`,
      worker: log.worker,
      hashing: ground.hashing,
      rootDir: workflow.dir,
      provider: setup.provider,
      // The person who set a trigger off started its run.
      startedBy: setup.origin.firedBy ?? setup.origin.startedBy,
      changedBy: setup.origin.changedBy,
      people: (approvers) => (people ? approving(approvers, people) : approvers),
      notify: scripted
        ? undefined
        : (notice) =>
            notifyPeople(notice, {
              ...session,
              ...{ runId: state.runId, redactor },
              ...(setup.folderHere ? { folderHere: setup.folderHere } : {}),
            }),
      hideSecrets: hidingSecrets(setup, log),
      skipGates: request.skipGates ?? false,
      canAsk: ask !== undefined,
      activeSecondsBefore: recall.activeMs / 1000,
      cache: ground.cache,
      turns: ground.turns,
      guard: ground.guard,
      keyframes: keepsKeyframes(setup, request, ground)
        ? keepingKeyframes({
            ...{ env: session.env, log },
            ...{ facts: setup.keyframes.facts, recall: setup.keyframes.recall, state, exporting },
            digest: () => keyframeDigest(setup, request, ground.hashing),
            commit: () => port.commit(),
          })
        : undefined,
      startsFresh: (frame, node) => {
        fresh ||= frame.depth === 0 && node === request.from;
        return fresh;
      },
      rerunsChangedFiles: request.changedFiles ?? false,
      skipsWaits: request.skipWaits ?? false,
      inject: scripted?.inject,
      endOrphan: ({ pid, started_at }) => endProcessGroup(pid, started_at),
      endAttempt,
      defect: (problem) => debug(session.env, problem),
      moreIterations: async (used) => (await request.askForMoreIterations?.(used)) ?? 0,
    };
    const root: RootRun = {
      workflow,
      inputs: setup.inputs,
      maxIterations: request.maxIterations,
      reuse: request.force !== true,
      signal: stop.signal,
      startsOver: request.force === true || request.from !== undefined,
      ...(setup.keyframes?.start ? { start: setup.keyframes.start } : {}),
    };
    interpreting = setup.lostItems
      ? interpretLostItems(engine, root, setup.lostItems).then(() => undefined)
      : interpretRoot(engine, root);
    const reached = await Promise.race([interpreting, left, ...(leaving ? [leaving.left] : [])]);
    // The last step and the run's end are one commit; what a scenario overrules, it reads of the state first.
    if (scripted) await port.commit();
    // A run whose lost items were tried again has its end already.
    if (reached)
      conclude(scripted?.overrule(reached, state) ?? reached, port.note, {
        elapsed: (clock.now() - began) / 1000,
        errorsJsonl,
        ...(signal?.reason instanceof StoppedBy ? { stoppedBy: signal.reason.person } : {}),
      });
    await port.end();
    if (exporting.failure) {
      port.note([], "errors_jsonl_write_failed", { reason: exporting.failure.reason, path: errorsJsonl });
      await port.end();
    }
  } catch (problem) {
    // The store failed, or there is a defect: what still runs is ended, and nothing half-written looks whole.
    stop.abort(problem);
    port.abandon();
    // The next drive may start the same step again: it is over here before that can happen.
    if (problem === signal?.reason) await interpreting?.catch(() => {});
    throw problem;
  } finally {
    stopHearing();
    signal?.removeEventListener("abort", cancel);
  }
}

/** What only a walk can tell is not in a keyframe: what a guard holds, and what was trimmed from the context. */
const keepsKeyframes = (
  setup: DriveSetup,
  { from, force, changedFiles }: DriveRequest,
  { guard, log }: DriveGround,
): setup is DriveSetup & Required<Pick<DriveSetup, "keyframes">> =>
  setup.keyframes !== undefined &&
  !areKeyframesOff(setup.session.env) &&
  log.keepKeyframe !== undefined &&
  guard === undefined &&
  setup.scripted === undefined &&
  setup.lostItems === undefined &&
  setup.workflow.definition.workflow.context.max_tokens === undefined &&
  !(from !== undefined || force || changedFiles);

function debug(env: Session["env"], problem: unknown): void {
  if (env.SEGNO_DEBUG) process.stderr.write(`${problem instanceof Error ? problem.stack : String(problem)}\n`);
}

/** Ten thousand items with a secret each are data: every text would be searched for each of them. */
const MOST = 1_000;

/**
 * Secret inputs of sub-workflows. They come up while the run goes on, so they are learned, and kept for later readers, when the
 * child begins; what held them before is hidden too whenever the run is looked at.
 */
function hidingSecrets({ redactor, split }: Pick<DriveSetup, "redactor" | "split">, log: KeepingLog) {
  const hidden = new Set(textsOf(split.secrets));
  return (secrets: Readonly<Record<string, unknown>>): void | Promise<void> => {
    const fresh = [...new Set(textsOf(secrets))].filter((text) => text !== "" && !hidden.has(text));
    const taken = fresh.slice(0, Math.max(0, MOST - hidden.size));
    if (taken.length === 0) return undefined;
    for (const secret of taken) {
      hidden.add(secret);
      redactor.learn(secret, "secret input");
    }
    return log.keepMet?.({ secrets: [], shortSecrets: taken });
  };
}
