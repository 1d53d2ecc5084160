// What a resume may build on: the second fold over a run's events. It keeps every visit's outcome by key, because reuse
// is by key and hash; it lives only while the run is being read back.
import { keptIn } from "../../errors/mapping.ts";
import { branchOfKey, enclosingGroupKeys, enclosingKeys, rootVisit } from "../key.ts";
import type { RunEvent } from "../registry.ts";
import { type PackedLedger, RunLedger } from "../run-ledger.ts";
import type { FileDigest } from "../step-files.ts";
import {
  type LeftRunning,
  POLICY_ROUTE,
  type Recall,
  type Recorded,
  type RecordedRetry,
  type UsedByMember,
} from "./recorded.ts";
import { VisitFold } from "./visit-fold.ts";
import { type AttemptRecord, isPlain, plainRetries, type RetryRecord, type VisitRecord } from "./visit-record.ts";

export type {
  LastOutcome,
  LeftRunning,
  PastFailure,
  Recall,
  Recorded,
  RecordedRetry,
  UsedByMember,
} from "./recorded.ts";

/** Reads a run's events back. For events that come one by one there is `RecallFold`. */
export function remember(events: Iterable<RunEvent>): Recall {
  const fold = new RecallFold();
  for (const event of events) fold.add(event);
  return fold;
}

/** What a resume may build on, in the words that the engine asks in; nothing is decided here. */
export class RecallFold extends RunLedger implements Recall {
  readonly #fold: VisitFold;
  /** Made when it is first asked for, which is after the last event. */
  #filesInside: ReadonlyMap<string, readonly FileDigest[]> | undefined;
  #usedInside: ReadonlyMap<string, readonly UsedByMember[]> | undefined;

  /** `from`: where a keyframe stands; it is then given the events after it, and knows no visit before it. */
  constructor(from?: { readonly ledger: PackedLedger; readonly definitions: Iterable<readonly [string, string]> }) {
    super(from?.ledger);
    this.#fold = new VisitFold({ history: false, definitions: from?.definitions });
  }

  override add(event: RunEvent): void {
    this.#fold.add(event);
    this.#filesInside = undefined;
    this.#usedInside = undefined;
    super.add(event);
  }

  get(key: string): Recorded | undefined {
    const visit = this.#fold.visits.get(key);
    return visit && recordedOf(visit);
  }

  /** Whether an earlier drive visited a node of the root more often than this one has so far. */
  isAheadOf(visits: ReadonlyMap<string, number>): boolean {
    for (const key of this.#fold.visits.keys()) {
      const visit = rootVisit(key);
      if (visit && (visits.get(visit.node) ?? 0) < visit.number) return true;
    }
    return false;
  }

  usedInside(group: string): readonly UsedByMember[] {
    this.#usedInside ??= byGroup(this.#fold.visits);
    return this.#usedInside.get(group) ?? [];
  }

  filesInside(key: string): readonly FileDigest[] {
    this.#filesInside ??= byContainer(this.#fold.visits.values());
    return this.#filesInside.get(key) ?? [];
  }

  leftRunning(): readonly LeftRunning[] {
    return [...this.#fold.visits.values()].flatMap((visit) => {
      const { key, node, path, type } = visit;
      const { spawned, wasCutOff, attempts, discarded } = recordedOf(visit);
      return spawned || wasCutOff
        ? [{ key, node, path, type, spawned, wasCutOff, ordinal: attempts + discarded + 1 }]
        : [];
    });
  }
}

function byContainer(visits: Iterable<VisitRecord>): ReadonlyMap<string, readonly FileDigest[]> {
  const found = new Map<string, FileDigest[]>();
  for (const { key, files = [] } of visits) {
    if (files.length === 0) continue;
    for (const container of [...enclosingKeys(key), ...enclosingGroupKeys(key)])
      keptIn(found, container, (): FileDigest[] => []).push(...files);
  }
  return found;
}

/** Not of what is in sub-workflows that are members: those count in their own file. Not of rounds that are over. */
function byGroup(visits: ReadonlyMap<string, VisitRecord>): ReadonlyMap<string, readonly UsedByMember[]> {
  const found = new Map<string, UsedByMember[]>();
  for (const visit of visits.values()) {
    const group = enclosingGroupKeys(visit.key).at(-1);
    if (group === undefined || enclosingKeys(visit.key).length > enclosingKeys(group).length) continue;
    const { branch, round } = branchOfKey(visit.key, group);
    if (round <= roundsOver(visits.get(group))) continue;
    const { attempts, resetWaits } = recordedOf(visit);
    const via = retriesOf(visit).made.flatMap(({ scheduled }) =>
      scheduled.via === undefined ? [] : [scheduled.route],
    );
    const used = { branch, node: visit.node, executions: attempts - resetWaits, via };
    keptIn(found, group, (): UsedByMember[] => []).push(used);
  }
  return found;
}

/** Those that an unhandled failure of the run, or an edit, ended. */
const roundsOver = (visit: VisitRecord | undefined): number =>
  visit ? plainRetries(visit.retries.slice(0, visit.over.retries)) : 0;

/** The retries of the present visit, and which of them its last failure was answered with. */
function retriesOf({ retries, over, attempts, outcome }: VisitRecord) {
  const now = retries.slice(over.retries);
  const answeredWith = outcome?.routed === "again" || outcome?.routed === "retry" ? now.at(-1) : undefined;
  const failed =
    outcome?.ok === false ? attempts.slice(over.attempts).findLast(({ end }) => end === "failed") : undefined;
  // Decided on when its last attempt had failed, and then not made: the routes were edited.
  const isDropped = (retry: RetryRecord): boolean =>
    failed !== undefined && retry.scheduled.attempt >= failed.number && retry !== answeredWith;
  return { made: now.filter((retry) => !isDropped(retry)), answeredWith };
}

function recordedOf(visit: VisitRecord): Recorded {
  const { attempts, retries, over, outcome, pendingRetry } = visit;
  // One that is entered again has the same number: it counts once.
  const ended = new Set<number>();
  let discarded = 0;
  let started = 0;
  for (const [index, { end, began, number }] of attempts.entries()) {
    const isOver = index < over.attempts;
    if (end === "ok" || end === "failed") isOver ? discarded++ : ended.add(number);
    if (began && !isOver) started = Math.max(started, number);
  }
  const { made, answeredWith } = retriesOf(visit);
  // It was entered again after it had failed, and has not ended since.
  const latest = attempts.at(-1);
  if (latest && latest.end === undefined && !outcome?.ok) ended.delete(latest.number);
  return {
    attempts: ended.size,
    started,
    wasCutOff: isCutOff(latest),
    discarded,
    retried: plainRetries(retries),
    roundsOver: roundsOver(visit),
    spentRetries: spentRetries(made),
    retriedKinds: Object.fromEntries(made.map(({ scheduled: { route, kind } }) => [route, kind])),
    resetWaits: made.filter(isReset).length,
    last: outcome,
    earlier: visit.earlier,
    retry: pendingRetry && recordedRetry(pendingRetry),
    answeredWith: answeredWith && recordedRetry(answeredWith),
    files: visit.files,
    endedIn: latest?.ended?.drive,
    spawned: visit.process,
    failures: visit.failures,
    session: visit.session,
    answer: visit.answer,
    question: visit.question,
    branches: visit.branches,
    waitingSince: visit.waitingSince,
    held: visit.held,
    waitLeftSince: visit.waitLeftSince,
    asked: visit.asked,
    deadline: visit.deadline,
    isNotified: visit.isNotified,
  };
}

/** One that was cancelled was ended with all that it started, as far as its driver lived to see that. */
const isCutOff = (last: AttemptRecord | undefined): boolean =>
  last !== undefined && last.end !== "ok" && last.end !== "failed";

const isOfPolicy = ({ scheduled }: RetryRecord): boolean => scheduled.by === "resilience";
const isReset = ({ scheduled }: RetryRecord): boolean => scheduled.until_reset === true;

function spentRetries(retries: readonly RetryRecord[]): Recorded["spentRetries"] {
  const spent: Record<number, number> = {};
  for (const retry of retries.filter(isPlain)) {
    if (isOfPolicy(retry) && isReset(retry)) continue;
    const route = isOfPolicy(retry) ? POLICY_ROUTE : retry.scheduled.route;
    spent[route] = (spent[route] ?? 0) + 1;
  }
  return spent;
}

function recordedRetry({ scheduled }: RetryRecord): RecordedRetry {
  const { until, delay_seconds, attempt, nth, max, until_reset, route, by = "route", via } = scheduled;
  const isReset = until_reset === true;
  const wait = { until: Date.parse(until), delay: delay_seconds * 1000, attempt, nth, max, isReset, route, by };
  return via === undefined ? wait : { ...wait, via };
}
