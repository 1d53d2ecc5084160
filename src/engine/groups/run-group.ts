// One round of a group: members in a sliding pool, each on its own; what remains of their errors goes to `failure_mode`.
// On a retry only the members that did not succeed run again.
import { type AgentChanges, type Envelope, failed } from "../../base/errors/index.ts";
import type { SpreadGroup } from "../durable.ts";
import { isStop, type Stop } from "../ends.ts";
import type { Fiber } from "../fiber.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Group, WorkAttempt, WorkEnd } from "../visit/work.ts";
import type { Branch } from "./branches.ts";
import {
  asRunNow,
  type GroupFields,
  groupFields,
  groupRecorder,
  type KeptOutputs,
  type MemberEnd,
} from "./group-output.ts";
import { runMember } from "./members.ts";

interface Failure {
  readonly branch: Branch;
  readonly error: Envelope;
  readonly changes: AgentChanges | undefined;
  readonly unopted: boolean;
}

/** What a group keeps over the rounds of a visit, and who else may run its branches. */
export interface GroupRound {
  readonly kept: KeptOutputs;
  /** How often each branch ran. */
  readonly ran: Map<string, number>;
  readonly spread?: SpreadGroup<Branch, MemberEnd>;
}

export async function runGroup(
  frame: WorkflowFrame,
  node: Group,
  branches: readonly Branch[],
  attempt: WorkAttempt,
  { kept, ran, spread }: GroupRound,
): Promise<WorkEnd> {
  const { group, kind } = node;
  const { durable } = frame.engine;
  const record = groupRecorder(frame, node, attempt.key);
  record.started(branches.length);
  if (branches.length === 0) {
    frame.context.execute(1);
    record.warn(`${group.name} had nothing to do: its source is an empty list`);
  }
  const failures: Failure[] = [];
  let finished = kept.size;
  const kinds: string[] = [];
  let systemic: string | undefined;
  const stopsOthers = (end: MemberEnd): boolean => {
    if (isStop(end)) return end.type === "halted" || end.type === "limit";
    const hasFailed = end.type === "failed";
    // What an earlier drive recorded is no news about the world of today.
    if (hasFailed && !end.reused) kinds.push(end.error.kind);
    // Also after an item that went well: it may be the 10th.
    if (group.stop_on_systemic && kinds.length > 0) systemic ??= systemicKind(kinds, finished);
    return (hasFailed && group.failure_mode === "fail_fast") || systemic !== undefined;
  };
  const runBranch = async (
    branch: Branch,
    signal: AbortSignal,
    fiber?: Fiber,
    ranElsewhere = false,
  ): Promise<MemberEnd> => {
    record.memberStarted(branch);
    const { value, ...times } = await durable.timed(() => runMember(frame, node, branch, attempt.ledBy, signal, fiber));
    const found = ranElsewhere ? asRunNow(value) : value;
    // Hundreds of large outputs are not held until the last item has ended.
    const end = found.type === "ok" && durable.shelve ? await durable.shelve(found) : found;
    if (isStop(end) || !end.reused) finished += 1;
    if (end.type === "failed") {
      failures.push({ branch, error: end.error, changes: end.changes, unopted: end.unopted });
      ran.set(branch.id, end.attempts);
    } else if (end.type === "ok") kept.set(branch.id, end);
    record.memberEnded(branch, end, (times.endedAt - times.startedAt) / 1000);
    return end;
  };

  const left = branches.filter((branch) => !kept.has(branch.id));
  const concurrency = group.max_concurrent ?? Math.max(1, branches.length);
  const { value: ends, ...times } = await durable.step(
    () =>
      durable.branches(left, runBranch, {
        concurrency,
        signal: attempt.signal,
        fiber: attempt.fiber,
        stopsOthers,
        ...(spread ? { spread } : {}),
      }),
    "container",
  );

  const stop = stopOf(ends, attempt.signal, group.name);
  if (stop) return stop;
  const fields = groupFields(frame, node, branches, kept, failures);
  const first = failures.find(({ error }) => error.kind === systemic) ?? failures[0];
  const fails =
    first !== undefined && (systemic !== undefined || group.failure_mode !== "continue_on_error" || kept.size === 0);
  // First, so that a crash in between finds the members' errors still open.
  if (!fails && failures.length > 0) await frame.engine.guard?.continuedWithoutFailures(attempt);
  record.ended(fields, fails, (times.endedAt - times.startedAt) / 1000);
  if (fails && first) {
    const itemKey = ({ id }: Branch) => (kind === "for_each" ? { item_key: id } : {});
    record.failed(failures.map(({ branch, error }) => ({ node: branch.step.name, ...itemKey(branch), error })));
    const counts = { name: group.name, failed: failures.length, succeeded: kept.size };
    return groupFailed(first, counts, systemic !== undefined, fields);
  }
  frame.lost.mark(group.name, failures.length > 0);
  const reused = branches.length > 0 && ends.every((end) => end !== undefined && !isStop(end) && end.reused);
  return { type: "outcome", outcome: { ok: true, output: fields }, reused };
}

/** The group's error is that of the first member that failed, or of one with the systemic kind. */
function groupFailed(
  { error, unopted }: Failure,
  group: { readonly name: string; readonly failed: number; readonly succeeded: number },
  isSystemic: boolean,
  fields: GroupFields,
): WorkEnd {
  const details = { ...error.details, group, ...(isSystemic ? { systemic: true } : {}) };
  const outcome = failed({ ...error, details } as Envelope, fields);
  return { type: "outcome", outcome, ...(unopted ? { unopted: true as const } : {}) };
}

/** What ends the run from inside a group. A pause waits until every other member is done, which it is here. */
function stopOf(ends: readonly (MemberEnd | undefined)[], signal: AbortSignal, group: string): Stop | undefined {
  const stops = ends.filter((end): end is Stop => end !== undefined && isStop(end));
  const hard = stops.find((end) => end.type === "halted" || end.type === "limit");
  if (hard) return hard;
  if (signal.aborted) return { type: "cancelled", node: group };
  // Siblings that fail_fast cancelled are no stop of the run.
  return stops.find((end) => end.type === "paused");
}

// When the failures of a group are one failure: a systemic fault is not ten thousand letters.

const ENOUGH = 10;

/** The kind with which, from the 10th item on, more than half of what finished failed; nothing while there is none. */
export function systemicKind(kinds: readonly string[], finished: number): string | undefined {
  if (finished < ENOUGH) return undefined;
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) if (count > finished / 2) return kind;
  return undefined;
}
