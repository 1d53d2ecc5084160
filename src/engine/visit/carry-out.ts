// What happens between the start of an attempt and its end: what an earlier drive left running is ended, the guard is
// asked, and the work runs under its time limit. A thrown exception is a defect: it is caught here, once, and becomes
// `internal.step_error`. No promise is made where there is nothing to wait for.
import { failed, type Raised, raised } from "../../errors/index.ts";
import { OwnCodeFault } from "../../errors/own-code.ts";
import type { Recorded } from "../../events/recall.ts";
import type { EventData } from "../../events/registry.ts";
import { TimeLimit } from "../durable.ts";
import type { Frame } from "../frame.ts";
import type { Passing } from "../guard/passing.ts";
import { spend } from "../limits/limits.ts";
import type { Prepared, Visit } from "./prepare.ts";
import type { Usage } from "./usage.ts";
import type { Attempted, Place, Work } from "./work.ts";

export interface Numbers {
  readonly attempt: number;
  /** Of all attempts in the run that ended, plus one: an attempt cut off by a crash runs again under the same number. */
  readonly ordinal: number;
  readonly memory: Recorded | undefined;
}

/** One attempt, with all that belongs to it. */
export interface Attempting {
  readonly frame: Frame;
  readonly work: Work;
  readonly at: Visit;
  readonly prepared: Prepared;
  readonly numbers: Numbers;
  readonly usage: Usage;
  /** Absent when the run has no resilience and no policies. */
  readonly passing: Passing | undefined;
}

export function carryOut(of: Attempting): Attempted | Promise<Attempted> {
  const { frame, at, numbers, passing } = of;
  const idempotencyKey = `${frame.engine.durable.runId}:${at.key}:${numbers.ordinal}`;
  return numbers.memory || passing ? admitted(of, idempotencyKey) : begin(of, idempotencyKey);
}

async function admitted(of: Attempting, idempotencyKey: string): Promise<Attempted> {
  const { frame, work, at, prepared, numbers, passing } = of;
  const pid = numbers.memory ? await endOrphan(of, numbers.memory, idempotencyKey) : undefined;
  if (pid !== undefined) frame.engine.durable.note(frame.path, "orphan_ended", { agent_name: work.name, pid });
  const isAsked = passing !== undefined && prepared.ok && !at.signal.aborted;
  const refused = isAsked ? await passing.enter(prepared.values, numbers.attempt) : undefined;
  if (refused && !at.signal.aborted) return { type: "outcome", outcome: failed(refused) };
  return begin(of, idempotencyKey);
}

function begin(of: Attempting, idempotencyKey: string): Attempted | Promise<Attempted> {
  const { frame, work, at, prepared, numbers, passing } = of;
  if (!prepared.ok) return { type: "outcome", outcome: failed(prepared.error) };
  if (at.signal.aborted) return { type: "cancelled", node: work.name };
  const injected = frame.engine.inject?.(work.name, frame.path, numbers.attempt);
  if (injected) return { type: "outcome", outcome: failed(injected) };
  const limit = frame.engine.durable.timeLimit(work.timeoutSeconds, at.signal);
  const place: Place = {
    key: at.key,
    attempt: numbers.attempt,
    idempotencyKey,
    signal: limit.signal,
    locals: at.locals,
    ledBy: at.ledBy,
    member: at.member,
    waitingSince: numbers.memory?.waitingSince,
    breakers: passing?.calls,
    emit: emitter(of),
  };
  let running: Attempted | Promise<Attempted>;
  try {
    running = work.run(prepared.values, place);
  } catch (defect) {
    limit.dispose();
    return { type: "outcome", outcome: failed(stepError(defect, frame, work.name)) };
  }
  if (running instanceof Promise) return ending(running, limit, of);
  limit.dispose();
  return running;
}

function emitter({ frame, work, at, usage }: Attempting): Place["emit"] {
  const { durable, guard } = frame.engine;
  return (type, data) => {
    if (type !== "agent_usage") return durable.note(frame.path, type, data);
    const call = { ...(data as EventData<"agent_usage">), key: at.key };
    usage.add(call);
    durable.note(frame.path, "agent_usage", call);
    guard?.spent(work.name, call);
    spend(frame, work.name, call);
  };
}

async function ending(
  running: Promise<Attempted>,
  limit: { readonly signal: AbortSignal; dispose(): void },
  { frame, work, at }: Attempting,
): Promise<Attempted> {
  try {
    const attempted = await running;
    if (limit.signal === at.signal) return attempted;
    const reason = limit.signal.aborted && !at.signal.aborted ? limit.signal.reason : undefined;
    if (reason instanceof TimeLimit && attempted.type === "cancelled")
      return { type: "outcome", outcome: failed(timedOut(reason)) };
    if (reason instanceof TimeLimit && attempted.type === "outcome" && !attempted.outcome.ok)
      return { ...attempted, outcome: failed(timedOut(reason), attempted.outcome.output) };
    return attempted;
  } catch (defect) {
    return { type: "outcome", outcome: failed(stepError(defect, frame, work.name)) };
  } finally {
    limit.dispose();
  }
}

/** A script may outlive the drive that started it; it is ended before it runs again. Gives its process group, if it lived. */
async function endOrphan(
  { frame: { engine }, work, at }: Attempting,
  memory: Recorded,
  idempotencyKey: string,
): Promise<number | undefined> {
  if (memory.spawned) return (await engine.endOrphan(memory.spawned)) ? memory.spawned.pid : undefined;
  const wasCutOff = memory.started > (at.attemptsBefore ?? 0) + memory.attempts;
  return wasCutOff && work.type === "script" ? engine.endAttempt?.(idempotencyKey) : undefined;
}

const timedOut = ({ seconds }: TimeLimit): Raised =>
  raised("internal.timeout", `it ran past its timeout of ${seconds} s and was ended`, { timeout_seconds: seconds });

function stepError(defect: unknown, frame: Frame, node: string): Raised {
  if (defect instanceof OwnCodeFault) return defect.raised;
  frame.engine.defect(defect, node);
  const error = defect instanceof Error ? defect : new Error(String(defect));
  return raised("internal.step_error", `${node} met a defect in Segno: ${error.message}`, {
    exception_type: error.name,
    own_code: null,
  });
}
