// Between the start of an attempt and its end: what an earlier drive left running is ended, the guard is asked, and the work
// runs under its time limit. A thrown exception becomes `internal.step_error` here. No promise where nothing is waited for.
import { OwnCodeFault } from "../../base/errors/envelope.ts";
import { failed, type Raised, raised } from "../../base/errors/index.ts";
import { DriveStopped } from "../../base/errors/leave-process.ts";
import { idempotencyKey } from "../../base/events/idempotency-key.ts";
import type { EventData } from "../../base/events/registry.ts";
import type { LeftRunning } from "../../base/events/visits/recall.ts";
import type { SkippableWait } from "../../steps/caller.ts";
import { TimeLimit } from "../durable.ts";
import type { Engine, Visit } from "../frame.ts";
import { enforceBudgets, spend } from "../limits/limits.ts";
import { type AttemptUnderWay, inGroup } from "./attempt-under-way.ts";
import type { WorkAttempt, WorkEnd } from "./work.ts";

export function carryOut(attempt: AttemptUnderWay): WorkEnd | Promise<WorkEnd> {
  const { visit, ordinal, recorded, admission } = attempt;
  const key = idempotencyKey(visit.frame.engine.durable.runId, visit.key, ordinal);
  return recorded || admission ? admitted(attempt, key) : begin(attempt, key);
}

async function admitted(attempt: AttemptUnderWay, idempotencyKey: string): Promise<WorkEnd> {
  const { visit, prepared, number, recorded, admission } = attempt;
  const { frame, work, signal } = visit;
  const { engine } = frame;
  const pid = recorded && (await endLeftRunning(engine, { ...recorded, type: work.type, idempotencyKey }));
  if (pid !== undefined) engine.durable.note(frame.path, "orphan_ended", { agent_name: work.name, pid });
  const isAsked = admission !== undefined && prepared.ok && !signal.aborted;
  const isOver = isAsked && hadEndedWell(attempt);
  if (isOver) admission.enterAgain();
  const refused = isAsked && !isOver ? await admission.enter(prepared.values, number) : undefined;
  if (refused && !signal.aborted) return { type: "outcome", outcome: failed(refused) };
  // While this waited, another process may have taken the run.
  await engine.durable.assertLease();
  return begin(attempt, idempotencyKey);
}

/** Whether an earlier drive ended this very attempt at a container well: it is entered only to find again what is inside. */
const hadEndedWell = ({ visit, prepared, number, recorded }: AttemptUnderWay): boolean =>
  visit.work.isContainer &&
  recorded?.last?.ok === true &&
  prepared.ok &&
  prepared.hash === recorded.last.hash &&
  number <= visit.attemptsBefore + recorded.attempts;

function begin(attempt: AttemptUnderWay, idempotencyKey: string): WorkEnd | Promise<WorkEnd> {
  const { visit, prepared, number, admission } = attempt;
  const { frame, work, signal } = visit;
  if (!prepared.ok) return { type: "outcome", outcome: failed(prepared.error) };
  if (signal.aborted) return { type: "cancelled", node: work.name };
  const injected = frame.engine.inject?.(work.name, frame.path, number);
  if (injected) return { type: "outcome", outcome: failed(injected) };
  const { durable } = frame.engine;
  const limit = durable.timeLimit(work.timeoutSeconds, signal, { fiber: visit.fiber });
  const ownership = new Ownership(durable.assertLease);
  const workAttempt: WorkAttempt = {
    key: visit.key,
    attempt: number,
    idempotencyKey,
    signal: limit.signal,
    locals: visit.locals,
    ledBy: visit.ledBy,
    member: visit.member,
    fiber: visit.fiber,
    waitingSince: attempt.recorded?.waitingSince,
    beginWait: () => (isSkipped(attempt) ? SKIPPED : durable.beginWait?.()),
    breakers: admission?.calls,
    assertLease: ownership.ask,
    emit: emitter(attempt),
  };
  let running: WorkEnd | Promise<WorkEnd>;
  try {
    running = work.run(prepared.values, workAttempt);
  } catch (defect) {
    limit.dispose();
    return { type: "outcome", outcome: failed(stepError(defect, visit)) };
  }
  if (running instanceof Promise) return limitedEnd(running, limit, visit, ownership);
  limit.dispose();
  return running;
}

/** A wait that an earlier drive began, when the resume was asked to skip the rest of it. */
const isSkipped = ({ visit, recorded }: AttemptUnderWay): boolean =>
  recorded?.waitingSince !== undefined && visit.frame.engine.skipsWaits === true;

const SKIPPED: SkippableWait = { skipped: AbortSignal.abort(), end: () => {} };

function emitter({ visit, usage, files }: AttemptUnderWay): WorkAttempt["emit"] {
  const { frame, work, key, member } = visit;
  const { durable, guard } = frame.engine;
  return (type, given) => {
    // What an executor gives may be shared and frozen: the member's name goes onto a copy.
    const data = member ? (inGroup({ ...(given as EventData<"agent_usage">) }, member) as typeof given) : given;
    if (type !== "agent_usage") {
      files.hear(type, data);
      return durable.note(frame.path, type, data);
    }
    const call = { ...(data as EventData<"agent_usage">), key };
    usage.add(call);
    durable.note(frame.path, "agent_usage", call);
    guard?.spent(work.name, call);
    spend(frame, work.name, call);
    // An agent that works on by itself is not waited for.
    if (call.under_way) enforceBudgets(frame);
  };
}

async function limitedEnd(
  running: Promise<WorkEnd>,
  limit: { readonly signal: AbortSignal; dispose(): void },
  visit: Visit,
  ownership: Ownership,
): Promise<WorkEnd> {
  try {
    const end = await running;
    ownership.require();
    if (limit.signal === visit.signal) return end;
    const reason = limit.signal.aborted && !visit.signal.aborted ? limit.signal.reason : undefined;
    if (reason instanceof TimeLimit && end.type === "cancelled")
      return { type: "outcome", outcome: failed(timedOut(reason)) };
    if (reason instanceof TimeLimit && end.type === "outcome" && !end.outcome.ok && !end.outcome.isFinal)
      return { ...end, outcome: failed(timedOut(reason), end.outcome.output, end.outcome.changes) };
    return end;
  } catch (defect) {
    ownership.require();
    return { type: "outcome", outcome: failed(stepError(defect, visit)) };
  } finally {
    limit.dispose();
  }
}

const timedOut = ({ seconds }: TimeLimit): Raised =>
  raised("internal.timeout", `it ran past its timeout of ${seconds} s and was ended`, { timeout_seconds: seconds });

/** Throws on what is no error of the step: the store failed under it. */
function stepError(defect: unknown, { frame, work }: Visit): Raised {
  if (defect instanceof DriveStopped) throw defect;
  if (defect instanceof OwnCodeFault) return defect.raised;
  frame.engine.defect(defect, work.name);
  const error = defect instanceof Error ? defect : new Error(String(defect));
  return raised("internal.step_error", `${work.name} met a defect in Segno: ${error.message}`, {
    exception_type: error.name,
    own_code: null,
  });
}

/** Whether the run is still this process's, as one attempt asks: right before it touches anything outside. */
class Ownership {
  #lost: { readonly problem: unknown } | undefined;

  constructor(private readonly look: () => undefined | Promise<void>) {}

  /** Nothing when it surely is; else a promise, which fails when it is not. */
  readonly ask = (): undefined | Promise<void> =>
    this.look()?.catch((problem: unknown) => {
      this.#lost ??= { problem };
      throw problem;
    });

  /** Throws when an answer was no: the attempt then has no outcome, whatever the work made of that answer. */
  require(): void {
    if (this.#lost) throw this.#lost.problem;
  }
}

type Left = Pick<LeftRunning, "spawned" | "wasCutOff" | "type"> & { readonly idempotencyKey: string };

/** Gives the process group that was ended, if one lived. */
async function endLeftRunning(
  engine: Engine,
  { spawned, wasCutOff, type, idempotencyKey }: Left,
): Promise<number | undefined> {
  if (spawned && (await engine.endOrphan(spawned))) return spawned.pid;
  // What it started may be left when it is gone itself, or was never written down.
  const startsProcesses = type === "script" || type === "agent";
  return wasCutOff && startsProcesses ? engine.endAttempt?.(idempotencyKey) : undefined;
}

/** Ends all that earlier drives left running. `--force` and `--from` need it before: a loop's steps have other keys. */
export async function endAllLeftRunning(engine: Engine): Promise<void> {
  const { durable } = engine;
  for (const left of durable.recall.leftRunning()) {
    const { key, node, path, ordinal } = left;
    const pid = await endLeftRunning(engine, { ...left, idempotencyKey: idempotencyKey(durable.runId, key, ordinal) });
    if (pid !== undefined) durable.note(path, "orphan_ended", { agent_name: node, pid });
  }
}
