// One attempt at a node: started, run under its time limit, settled, recorded. A thrown exception is a defect: it is
// caught here, once, and becomes `internal.step_error`.
import { type Envelope, failed, type Outcome, type Raised, raised } from "../errors/index.ts";
import type { Recorded } from "../events/recall.ts";
import type { EventData } from "../events/registry.ts";
import { completedData, identityOf, startedData } from "./attempt-events.ts";
import { conditionsOf } from "./conditions.ts";
import { type Timed, TimeLimit } from "./durable.ts";
import { isStop, type NodeEnd } from "./ends.ts";
import type { Frame } from "./frame.ts";
import { enforceBudgets, spend } from "./limits.ts";
import type { Passing } from "./passing.ts";
import { type Prepared, stamped, type Visit } from "./prepare.ts";
import type { BreakerStatus } from "./resilience/breaker-state.ts";
import { hasRules, optedIn, type Settled, settle } from "./settle.ts";
import type { Attempted, Place, Work } from "./work.ts";

interface Numbers {
  readonly attempt: number;
  /** Of all attempts in the run that ended, plus one: an attempt cut off by a crash runs again under the same number. */
  readonly ordinal: number;
  readonly memory: Recorded | undefined;
}

export interface Tried {
  readonly end: NodeEnd;
  readonly endedAt: number;
  readonly dice: number;
  /** How the breaker of what was called stands, if there is one. */
  readonly breaker?: BreakerStatus;
}

export async function runAttempt(
  frame: Frame,
  work: Work,
  at: Visit,
  prepared: Prepared,
  numbers: Numbers,
): Promise<Tried> {
  const kept = cacheOf(work) ? await fromCache(frame, work, at, prepared, numbers.attempt) : undefined;
  if (kept) return kept;
  frame.allReused &&= work.isContainer;
  const { durable, guard } = frame.engine;
  durable.note(frame.path, "agent_started", startedData(work, at, numbers.attempt, frame.context.iteration));
  const passing = guard?.passing(frame, work, at);
  const usage = new Usage();
  try {
    const timed = await durable.step(() => run(frame, work, at, prepared, numbers, usage, passing));
    return ended(frame, work, at, prepared, numbers, timed, usage, passing);
  } finally {
    passing?.leave();
    // Not before the attempt is recorded: what was paid for is kept.
    enforceBudgets(frame);
  }
}

/** Records how the attempt ended. */
function ended(
  frame: Frame,
  work: Work,
  at: Visit,
  prepared: Prepared,
  { attempt, memory }: Numbers,
  { value: attempted, startedAt, endedAt, dice }: Timed<Attempted>,
  usage: Usage,
  passing: Passing | undefined,
): Tried {
  const { durable } = frame.engine;
  const elapsed = (endedAt - startedAt) / 1000;
  const done = (end: NodeEnd): Tried => ({ end, endedAt, dice, breaker: passing?.breaker });

  if (isStop(attempted) || attempted.type === "terminated") {
    // A terminate step reports its own end; a stop is told by whoever stopped.
    if (attempted.type === "cancelled")
      durable.note(frame.path, "agent_cancelled", { ...identityOf(work, at, attempt), elapsed, reason: "cancelled" });
    return done(attempted);
  }
  if (!attempted.outcome.ok && at.signal.aborted) {
    const reason = reasonOf(at.signal);
    durable.note(frame.path, "agent_cancelled", { ...identityOf(work, at, attempt), elapsed, reason });
    return done({ type: "cancelled", node: work.name });
  }

  const stamp = (error: Raised): Envelope => stamped(frame, work.name, attempt, error, at.ledBy);
  const settled = settleOutcome(frame, work, at, prepared, timeLimited(attempted.outcome, elapsed), stamp);
  passing?.heard(attempted.outcome.ok ? undefined : attempted.outcome.error, settled.ok ? undefined : settled.error);
  const { totals } = usage;
  if (settled.ok) {
    const { output } = settled;
    if (attempted.reused && prepared.ok)
      durable.note(frame.path, "agent_reused", { ...identityOf(work, at, attempt), hash: prepared.hash });
    else {
      const told = frame.definitions.tell(work.name, prepared.definition);
      const data = completedData(work, at, attempt, prepared, told, elapsed, output, memory?.last?.definition);
      durable.note(frame.path, "agent_completed", totals ? { ...data, ...totals } : data);
    }
    keepInCache(frame, work, prepared, output);
    return done({ type: "succeeded", output, reused: attempted.reused === true, to: attempted.to });
  }
  const error = stamp(settled.error);
  durable.note(frame.path, "agent_failed", {
    ...identityOf(work, at, attempt),
    elapsed,
    hash: prepared.ok ? prepared.hash : undefined,
    definition: frame.definitions.tell(work.name, prepared.definition),
    ...totals,
    error_type: settled.unopted ? "ValidationError" : "UnhandledWorkflowError",
    message: error.message,
    kind: error.kind,
    ...(settled.output === undefined ? {} : { output: settled.output }),
  });
  durable.note(frame.path, "error_raised", { node: work.name, key: at.key, error });
  const unopted = settled.unopted ?? attempted.unopted;
  return done({ type: "raised", error, output: settled.output, ...(unopted ? { unopted } : {}) });
}

async function run(
  frame: Frame,
  work: Work,
  at: Visit,
  prepared: Prepared,
  numbers: Numbers,
  usage: Usage,
  passing: Passing | undefined,
): Promise<Attempted> {
  const { durable } = frame.engine;
  const idempotencyKey = `${durable.runId}:${at.key}:${numbers.ordinal}`;
  const pid = numbers.memory ? await endOrphan(frame, work, numbers.memory, idempotencyKey) : undefined;
  if (pid !== undefined) durable.note(frame.path, "orphan_ended", { agent_name: work.name, pid });
  if (!prepared.ok) return { type: "outcome", outcome: failed(prepared.error) };
  const refused = passing && !at.signal.aborted ? await passing.enter(prepared.values, numbers.attempt) : undefined;
  if (at.signal.aborted) return { type: "cancelled", node: work.name };
  if (refused) return { type: "outcome", outcome: failed(refused) };
  const injected = frame.engine.inject?.(work.name, frame.path, numbers.attempt);
  if (injected) return { type: "outcome", outcome: failed(injected) };
  const limit = durable.timeLimit(work.timeoutSeconds, at.signal);
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
    emit: (type, data) => {
      if (type !== "agent_usage") return durable.note(frame.path, type, data);
      const call = { ...(data as EventData<"agent_usage">), key: at.key };
      usage.add(call);
      durable.note(frame.path, "agent_usage", call);
      frame.engine.guard?.spent(work.name, call);
      spend(frame, work.name, call);
    },
  };
  try {
    const running = work.run(prepared.values, place);
    const attempted = running instanceof Promise ? await running : running;
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
  { engine }: Frame,
  { type }: Work,
  memory: Recorded,
  idempotencyKey: string,
): Promise<number | undefined> {
  if (memory.spawned) return (await engine.endOrphan(memory.spawned)) ? memory.spawned.pid : undefined;
  const wasCutOff = memory.started > memory.attempts;
  return wasCutOff && type === "script" ? engine.endAttempt?.(idempotencyKey) : undefined;
}

const timedOut = ({ seconds }: TimeLimit): Raised =>
  raised("internal.timeout", `it ran past its timeout of ${seconds} s and was ended`, { timeout_seconds: seconds });

/** The timeout's envelope says how long the attempt took, which only its end tells. */
const timeLimited = (outcome: Outcome, elapsed: number): Outcome =>
  outcome.ok || outcome.error.kind !== "internal.timeout"
    ? outcome
    : failed({ ...outcome.error, details: { ...outcome.error.details, elapsed_seconds: elapsed } }, outcome.output);

function stepError(defect: unknown, frame: Frame, node: string): Raised {
  frame.engine.defect(defect, node);
  const error = defect instanceof Error ? defect : new Error(String(defect));
  return raised("internal.step_error", `${node} met a defect in Segno: ${error.message}`, {
    exception_type: error.name,
  });
}

const reasonOf = (signal: AbortSignal): string =>
  signal.reason instanceof TimeLimit ? "timeout" : signal.reason instanceof Error ? signal.reason.message : "cancelled";

function settleOutcome(
  frame: Frame,
  work: Work,
  at: Visit,
  prepared: Prepared,
  outcome: Outcome,
  stamp: (error: Raised) => Envelope,
): Settled {
  if (!work.step || (outcome.ok && !hasRules(work.step))) return outcome;
  return settle(outcome, {
    step: work.step,
    optedIn: optedIn(frame, work.step, at.member?.routes),
    scope: prepared.scope,
    conditions: (output, error) => conditionsOf(frame.context.everything, output, error, at.locals),
    stamp,
  });
}

async function fromCache(
  frame: Frame,
  work: Work,
  at: Visit,
  prepared: Prepared,
  attempt: number,
): Promise<Tried | undefined> {
  if (!prepared.ok) return undefined;
  const hit = frame.engine.cache?.get(prepared.hash);
  if (!hit) return undefined;
  // With the output: a resume has no other record of it.
  const { output, runId: from_run } = hit;
  const identity = identityOf(work, at, attempt);
  frame.engine.durable.note(frame.path, "agent_reused", { ...identity, hash: prepared.hash, from_run, output });
  const timed = await frame.engine.durable.step(async () => undefined);
  return { end: { type: "succeeded", output, reused: true }, endedAt: timed.endedAt, dice: timed.dice };
}

function keepInCache(frame: Frame, work: Work, prepared: Prepared, output: unknown): void {
  const cache = cacheOf(work);
  if (cache && prepared.ok) frame.engine.cache?.put(prepared.hash, output, cache.ttl);
}

const cacheOf = ({ step }: Work): { readonly ttl?: number } | undefined =>
  step && "cache" in step && step.cache ? step.cache : undefined;

/** What the calls of one attempt used, summed as their events come by. */
class Usage {
  #calls: EventData<"agent_usage">[] | undefined;

  add(call: EventData<"agent_usage">): void {
    this.#calls ??= [];
    this.#calls.push(call);
  }

  /** Absent when no model was called. */
  get totals(): Omit<EventData<"agent_usage">, "agent_name" | "purpose" | "key"> | undefined {
    const calls = this.#calls;
    if (!calls) return undefined;
    const sum = (
      field: "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens" | "reasoning_tokens",
    ) => calls.reduce((total, call) => total + (call[field] ?? 0), 0);
    const unpriced = calls.some((call) => call.cost_usd === null || call.cost_usd === undefined);
    return {
      model: calls.at(-1)?.model ?? calls[0]?.model ?? "",
      input_tokens: sum("input_tokens"),
      output_tokens: sum("output_tokens"),
      cache_read_tokens: sum("cache_read_tokens"),
      cache_write_tokens: sum("cache_write_tokens"),
      reasoning_tokens: sum("reasoning_tokens"),
      cost_usd: unpriced ? null : calls.reduce((total, call) => total + (call.cost_usd ?? 0), 0),
    };
  }
}
