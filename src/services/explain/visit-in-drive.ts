// A visit as one drive saw it, read from its record: what it raised, what was made of that, and how it stood in the end.
import type { Envelope } from "../../base/errors/index.ts";
import type { ListedChanges } from "../../base/events/step-files.ts";
import { type Driven, letDownBy, pausedAt } from "../../base/events/visits/verdicts.ts";
import {
  type DriveRecord,
  inDrive,
  lastIn,
  type MembersRecord,
  type RequestRecord,
  type RetryRecord,
  type RouteReading,
  type VisitRecord,
} from "../../base/events/visits/visit-record.ts";
import type { PermissionAsked, Retry, ShellTail, VisitStatus } from "./story.ts";
import { statusIn } from "./visit-changes.ts";

export interface VisitInDrive extends Pick<VisitRecord, "node" | "type" | "path" | "group" | "itemKey"> {
  readonly status: VisitStatus;
  /** Its last attempt came after the end of the drive: a retry of what the run had lost. */
  readonly isRetriedLater: boolean;
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly why: string | undefined;
  readonly answer: string | undefined;
  readonly requests: readonly PermissionAsked[];
  readonly reason: string | undefined;
  readonly errors: readonly Envelope[];
  /** Of an outcome that is reused and was an error: a route had taken it. */
  readonly reusedKind: string | undefined;
  readonly shell: ShellTail | null;
  readonly changes: ListedChanges | undefined;
  readonly reading: RouteReading | undefined;
  readonly retries: readonly Retry[];
  readonly recoveredBy: string | undefined;
  readonly members: MembersRecord | undefined;
  /** Of a sub-workflow: what ran in it, of the latest child. */
  readonly inner: readonly VisitInDrive[] | undefined;
}

/** What its record alone does not tell. */
interface Around extends Pick<VisitInDrive, "why" | "inner"> {
  readonly drive: number;
  readonly driven: Driven;
  readonly left: VisitStatus;
  /** Of a drive that was cut off: the last that is known of it. */
  readonly cutOffAt: string | undefined;
}

export function visitInDrive(visit: VisitRecord, { drive, driven, left, cutOffAt, why, inner }: Around): VisitInDrive {
  const { node, path, group, itemKey, history } = visit;
  const attempts = inDrive(visit.attempts, drive);
  const reuse = lastIn(history?.reuses ?? [], drive);
  const worked = attempts.length > 0 ? attempts : workBefore(visit, drive);
  const status = statusIn(visit, drive, left);
  return {
    node,
    path,
    group,
    itemKey,
    why,
    inner,
    type: (attempts.at(-1) ?? reuse)?.type ?? visit.type,
    status: status === "recovered" && letDownBy(visit, driven, drive) !== undefined ? "failed" : status,
    isRetriedLater: isLater(attempts.at(-1), driven.drives[drive - 1]?.end),
    attempts: attempts.at(-1)?.number ?? 0,
    elapsedMs: worked.reduce(
      (sum, attempt) => sum + tookMs(attempt, cutOffAt ?? pausedAt(visit, attempt, driven.drives)),
      0,
    ),
    answer: lastIn(history?.answers ?? [], drive)?.option,
    requests: inDrive(history?.requests ?? [], drive).map(requestOf),
    reason: terminationReason(attempts),
    errors: inDrive(history?.errors ?? [], drive).map(({ error }) => error),
    reusedKind: reuse?.kind,
    shell: shellOf(attempts),
    changes: changesOf(attempts),
    reading: lastIn(history?.readings ?? [], drive),
    retries: inDrive(visit.retries, drive).map(retryOf),
    recoveredBy: lastIn(history?.recoveries ?? [], drive)?.by,
    members: lastIn(history?.members ?? [], drive),
  };
}

type Attempts = VisitRecord["attempts"];

const isLater = (attempt: Attempts[number] | undefined, end: DriveRecord["end"]): boolean =>
  end !== undefined && (attempt?.began?.seq ?? 0) > end.seq;

/** Of a visit that is reused: the attempt of an earlier drive that did the work. */
const workBefore = ({ attempts, history }: VisitRecord, drive: number): Attempts =>
  lastIn(history?.reuses ?? [], drive) === undefined
    ? []
    : attempts.filter((attempt) => attempt.drive < drive && attempt.ending).slice(-1);

/** @param leftAt of one that has no end: the last that is known of it */
function tookMs({ began, ending }: Attempts[number], leftAt: string | undefined): number {
  if (ending) return ending.data.elapsed * 1000;
  return began && leftAt !== undefined ? Math.max(0, Date.parse(leftAt) - Date.parse(began.at)) : 0;
}

function terminationReason(attempts: Attempts): string | undefined {
  const ending = attempts.findLast(({ end }) => end === "ok" || end === "failed")?.ending;
  if (!ending || ending.type === "agent_cancelled") return undefined;
  return ending.data.is_explicit ? ending.data.termination_reason : undefined;
}

const requestOf = ({ prompt, answer }: RequestRecord): PermissionAsked => ({
  prompt,
  ...(answer ? { answer: answer.option, answered_by: answer.by } : {}),
});

export const retryOf = ({ scheduled }: RetryRecord): Retry => {
  const { attempt, nth = attempt, max, until_reset, delay_seconds, by = "route", via } = scheduled;
  return { attempt, nth, delay_seconds, by, max, until_reset: until_reset || undefined, via };
};

/** Of the last attempt that says so: it counts what the ones before it changed as well. */
const changesOf = (attempts: Attempts): ListedChanges | undefined =>
  attempts.findLast(({ changes }) => changes && changes.files.length > 0)?.changes;

const TAIL = 2000;

/** The end of what the process of the last failed attempt said. */
function shellOf(attempts: Attempts): ShellTail | null {
  const failed = attempts.findLast(({ end }) => end === "failed");
  if (failed?.ending?.type !== "agent_failed") return null;
  const { output } = failed.ending.data;
  if (typeof output !== "object" || output === null) return null;
  const { stderr, exit_code } = output as Readonly<Record<string, unknown>>;
  if (typeof stderr !== "string" && typeof exit_code !== "number") return null;
  return {
    command: failed.command ?? null,
    exit_code: typeof exit_code === "number" ? exit_code : null,
    stderr: typeof stderr === "string" && stderr.trim() !== "" ? stderr.trimEnd().slice(-TAIL) : null,
  };
}
