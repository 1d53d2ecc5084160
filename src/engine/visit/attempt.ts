// One attempt at a node: started, carried out, settled, recorded. No promise is made where there is nothing to wait for.
import type { Envelope, Outcome, Raised } from "../../base/errors/index.ts";
import { isExitCodeIgnored } from "../../language/analysis/exit-codes.ts";
import { type StepKind, type Timed, TimeLimit } from "../durable.ts";
import { isStop, type NodeEnd, type Succeeded } from "../ends.ts";
import { remarked } from "../frame.ts";
import { enforceBudgets } from "../limits/limits.ts";
import { BudgetLimit } from "../limits/purse.ts";
import {
  type AttemptEnd,
  type AttemptUnderWay,
  attemptIdentity,
  completedData,
  startedData,
} from "./attempt-under-way.ts";
import { fromCache, isCached, keepInCache } from "./cached-outcome.ts";
import { carryOut } from "./carry-out.ts";
import { conditionsOf } from "./conditions.ts";
import { recordable } from "./recordable.ts";
import { hasRules, optingInOfStep, type SettledOutcome, settleOutcome, stamped } from "./settle.ts";
import type { Work, WorkEnd } from "./work.ts";

export function runAttempt(attempt: AttemptUnderWay): AttemptEnd | Promise<AttemptEnd> {
  return isCached(attempt.visit.work) ? cachedOrNew(attempt) : newAttempt(attempt);
}

async function cachedOrNew(attempt: AttemptUnderWay): Promise<AttemptEnd> {
  return (await fromCache(attempt)) ?? newAttempt(attempt);
}

function newAttempt(attempt: AttemptUnderWay): AttemptEnd | Promise<AttemptEnd> {
  const { frame, work, signal } = attempt.visit;
  // A container is known to be reused only when it has ended.
  frame.allReused &&= work.isContainer;
  const { durable, clock } = frame.engine;
  if (!work.isContainer) {
    // What earlier drives spent is spent: what they recorded is reused, and nothing new begins.
    enforceBudgets(frame);
    if (signal.aborted && signal.reason instanceof BudgetLimit)
      return { end: { type: "cancelled", node: work.name }, endedAt: clock.now(), dice: 0 };
  }
  durable.note(frame.path, "agent_started", startedData(attempt));
  let isOver = true;
  try {
    const timed = durable.step(() => carryOut(attempt), kindOf(work));
    // What has an admission waits for it: nothing is held when this throws.
    if (!(timed instanceof Promise)) return ended(attempt, timed);
    isOver = false;
    return endedLater(attempt, timed);
  } finally {
    if (isOver) enforceBudgets(frame);
  }
}

const kindOf = ({ isPure, isContainer }: Work): StepKind => (isContainer ? "container" : isPure ? "pure" : "work");

async function endedLater(attempt: AttemptUnderWay, timed: Promise<Timed<WorkEnd>>): Promise<AttemptEnd> {
  try {
    const end = ended(attempt, await timed);
    return end instanceof Promise ? await end : end;
  } finally {
    const released = attempt.admission?.release();
    if (released) await released;
    // Not before the attempt is recorded: what was paid for is kept.
    enforceBudgets(attempt.visit.frame);
  }
}

/** Records how the attempt ended. */
function ended(attempt: AttemptUnderWay, timed: Timed<WorkEnd>): AttemptEnd | Promise<AttemptEnd> {
  const { visit, number, admission } = attempt;
  const { frame, work, signal } = visit;
  const { value: workEnd } = timed;
  const { durable } = frame.engine;
  const elapsed = secondsOf(attempt, timed);

  if (isStop(workEnd) || workEnd.type === "terminated") {
    // A terminate step records its own end; a stop is recorded where it came from.
    if (workEnd.type === "cancelled")
      durable.note(frame.path, "agent_cancelled", { ...attemptIdentity(visit, number), elapsed, reason: "cancelled" });
    return attemptEnd(attempt, timed, workEnd);
  }
  const outcome = workEnd.reused ? workEnd.outcome : recordable(work.name, workEnd.outcome);
  if (!outcome.ok && signal.aborted && !outcome.isFinal) {
    durable.note(frame.path, "agent_cancelled", {
      ...attemptIdentity(visit, number),
      elapsed,
      reason: reasonOf(signal),
    });
    return attemptEnd(attempt, timed, { type: "cancelled", node: work.name });
  }
  const settled = settledOf(attempt, timeLimited(outcome, elapsed));
  if (!admission) return record(attempt, timed, workEnd, settled);
  const informed = admission.ended(outcome.ok ? undefined : outcome.error, settled.ok ? undefined : settled.error);
  return informed
    ? informed.then(() => record(attempt, timed, workEnd, settled))
    : record(attempt, timed, workEnd, settled);
}

/** A wait that an earlier drive began and left in its middle has lasted since then, whether or not anybody drove the run. */
const secondsOf = ({ recorded }: AttemptUnderWay, { startedAt, endedAt }: Timed<unknown>): number =>
  (endedAt - Math.min(startedAt, recorded?.waitLeftSince ?? startedAt)) / 1000;

const attemptEnd = ({ admission }: AttemptUnderWay, { endedAt, dice }: Timed<unknown>, end: NodeEnd): AttemptEnd => ({
  end,
  endedAt,
  dice,
  breaker: admission?.breaker,
});

function record(
  attempt: AttemptUnderWay,
  timed: Timed<unknown>,
  workEnd: WorkEnd & { readonly type: "outcome" },
  settled: SettledOutcome,
): AttemptEnd | Promise<AttemptEnd> {
  const { visit, prepared, number, usage } = attempt;
  const { frame, work, key } = visit;
  const { durable } = frame.engine;
  const elapsed = secondsOf(attempt, timed);
  frame.allReused &&= workEnd.reused === true;
  if (!workEnd.reused) frame.produced.ended(visit);
  const { totals } = usage;
  const { changes } = workEnd.outcome;
  if (settled.ok) {
    const { output } = settled;
    if (workEnd.reused && prepared.ok)
      durable.note(frame.path, "agent_reused", { ...attemptIdentity(visit, number), hash: prepared.hash });
    else {
      const data = completedData(attempt, elapsed, output);
      if (settled.exitCode !== undefined) data.exit_code = settled.exitCode;
      if (changes) data.changes = changes;
      durable.note(frame.path, "agent_completed", totals ? { ...data, ...totals } : data);
      if (settled.exitCode !== undefined && isExitCodeIgnored(frame.workflow, work.name))
        durable.note(frame.path, "warning", ignoredExit(work.name, settled.exitCode));
    }
    const end: Succeeded = {
      type: "succeeded",
      output,
      changes,
      reused: workEnd.reused === true,
      to: workEnd.to,
      option: workEnd.option,
    };
    const kept = keepInCache(attempt, end);
    return kept ? kept.then(() => attemptEnd(attempt, timed, end)) : attemptEnd(attempt, timed, end);
  }
  const error = stamped(visit, number, settled.error);
  const breaker = attempt.admission?.breaker;
  durable.note(frame.path, "agent_failed", {
    ...attemptIdentity(visit, number),
    elapsed,
    hash: prepared.ok ? prepared.hash : undefined,
    definition: frame.definitions.recordOnce(work.name, prepared.definition),
    ...totals,
    // Routes have not been read yet: whether it ends unhandled is recorded where the run ends.
    error_type: settled.unopted ? "ValidationError" : "WorkflowError",
    message: error.message,
    kind: error.kind,
    breaker: breaker === "closed" ? undefined : breaker,
    ...(settled.output === undefined ? {} : { output: settled.output }),
    changes,
    ...(attempt.isRepaired ? { repaired: true } : {}),
  });
  durable.note(frame.path, "error_raised", { node: work.name, key, error });
  const unopted = settled.unopted ?? workEnd.unopted;
  const end: NodeEnd = { type: "raised", error, output: settled.output, changes, ...(unopted ? { unopted } : {}) };
  return attemptEnd(attempt, timed, end);
}

const ignoredExit = (node: string, exitCode: number) => ({
  node,
  message: `${node} exited with ${exitCode}, and nothing in its file reads the exit code: the run went on as if it had succeeded. \`raises: []\` makes it an error, \`ok_exit_codes: any\` says that it does not matter.`,
});

/** The timeout's envelope says how long the attempt took, which only its end tells. */
const timeLimited = (outcome: Outcome, elapsed: number): Outcome =>
  outcome.ok || outcome.error.kind !== "internal.timeout"
    ? outcome
    : { ...outcome, error: { ...outcome.error, details: { ...outcome.error.details, elapsed_seconds: elapsed } } };

const reasonOf = (signal: AbortSignal): string =>
  signal.reason instanceof TimeLimit ? "timeout" : signal.reason instanceof Error ? signal.reason.message : "cancelled";

function settledOf({ visit, prepared, number }: AttemptUnderWay, outcome: Outcome): SettledOutcome {
  const { frame, work, member, locals, ledBy } = visit;
  const { step } = work;
  if (!step || (outcome.ok && !hasRules(step))) return outcome;
  return remarked(frame, work.name, () =>
    settleOutcome(outcome, {
      step,
      optingIn: optingInOfStep(frame, step, member?.routes),
      scope: prepared.scope,
      conditions: (own, error) => conditionsOf(frame.context.everything, own, error, locals, ledBy),
      stamp: (error: Raised): Envelope => stamped(visit, number, error),
    }),
  );
}
