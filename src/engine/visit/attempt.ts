// One attempt at a node: started, carried out, settled, recorded.
import { type Envelope, failed, type Outcome, type Raised } from "../../errors/index.ts";
import { type Timed, TimeLimit } from "../durable.ts";
import { isStop, type NodeEnd } from "../ends.ts";
import type { Frame } from "../frame.ts";
import type { BreakerStatus } from "../guard/resilience/breaker-state.ts";
import { enforceBudgets } from "../limits/limits.ts";
import { BudgetLimit } from "../limits/purse.ts";
import { type Again, completedData, identityOf, startedData } from "./attempt-events.ts";
import { type Attempting, carryOut, type Numbers } from "./carry-out.ts";
import { conditionsOf } from "./conditions.ts";
import { sha256 } from "./hash.ts";
import { type Prepared, stamped, type Visit } from "./prepare.ts";
import { hasRules, optedIn, type Settled, settle } from "./settle.ts";
import { Usage } from "./usage.ts";
import type { Attempted, Work } from "./work.ts";

export interface Tried {
  readonly end: NodeEnd;
  readonly endedAt: number;
  readonly dice: number;
  /** How the breaker of what was called stands, if there is one. */
  readonly breaker?: BreakerStatus;
}

/** No promise is made where there is nothing to wait for. */
export function runAttempt(
  frame: Frame,
  work: Work,
  at: Visit,
  prepared: Prepared,
  numbers: Numbers,
  again?: Again,
): Tried | Promise<Tried> {
  return cacheOf(work)
    ? fromCache(frame, work, at, prepared, numbers.attempt).then(
        (kept) => kept ?? newAttempt(frame, work, at, prepared, numbers, again),
      )
    : newAttempt(frame, work, at, prepared, numbers, again);
}

function newAttempt(
  frame: Frame,
  work: Work,
  at: Visit,
  prepared: Prepared,
  numbers: Numbers,
  again: Again | undefined,
): Tried | Promise<Tried> {
  frame.allReused &&= work.isContainer;
  const { durable, guard, clock } = frame.engine;
  if (!work.isContainer) {
    // What earlier drives spent is spent: what they recorded stands, and nothing new begins.
    enforceBudgets(frame);
    if (at.signal.aborted && at.signal.reason instanceof BudgetLimit)
      return { end: { type: "cancelled", node: work.name }, endedAt: clock.now(), dice: 0 };
  }
  durable.note(frame.path, "agent_started", startedData(work, at, numbers.attempt, frame.context.iteration, again));
  const passing = guard?.passing(frame, work, at);
  const of: Attempting = { frame, work, at, prepared, numbers, usage: new Usage(), passing };
  let isOver = true;
  try {
    const timed = durable.step(() => carryOut(of));
    if (!(timed instanceof Promise)) return ended(of, timed);
    isOver = false;
    return endedLater(of, timed);
  } finally {
    if (isOver) leave(of);
  }
}

async function endedLater(of: Attempting, timed: Promise<Timed<Attempted>>): Promise<Tried> {
  try {
    return ended(of, await timed);
  } finally {
    leave(of);
  }
}

function leave({ frame, passing }: Attempting): void {
  passing?.leave();
  // Not before the attempt is recorded: what was paid for is kept.
  enforceBudgets(frame);
}

/** Records how the attempt ended. */
function ended(of: Attempting, { value: attempted, startedAt, endedAt, dice }: Timed<Attempted>): Tried {
  const { frame, work, at, prepared, usage, passing } = of;
  const { attempt, memory } = of.numbers;
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

/** The timeout's envelope says how long the attempt took, which only its end tells. */
const timeLimited = (outcome: Outcome, elapsed: number): Outcome =>
  outcome.ok || outcome.error.kind !== "internal.timeout"
    ? outcome
    : failed({ ...outcome.error, details: { ...outcome.error.details, elapsed_seconds: elapsed } }, outcome.output);

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
  const hit = frame.engine.cache?.get(cacheKey(frame, prepared.hash));
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
  if (cache && prepared.ok && !(work.type === "script" && hasExitedBadly(output)))
    frame.engine.cache?.put(cacheKey(frame, prepared.hash), output, cache.ttl);
}

/** `make test` is another thing in every project. */
const cacheKey = ({ engine, workflow }: Frame, hash: string): string => sha256(engine.rootDir, workflow.dir, hash);

/** A script that nobody wants errors of goes on with any exit code; what did not work is still worth another try. */
const hasExitedBadly = (output: unknown): boolean =>
  typeof output === "object" && output !== null && "exit_code" in output && output.exit_code !== 0;

const cacheOf = ({ step }: Work): { readonly ttl?: number } | undefined =>
  step && "cache" in step && step.cache ? step.cache : undefined;
