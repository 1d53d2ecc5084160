// The status changes of a visit in order of time, and why it ran although an earlier drive had already run it.
import { isContainer } from "../../base/events/node-types.ts";
import type { EventData } from "../../base/events/registry.ts";
import { type AttemptRecord, inDrive, type VisitRecord } from "../../base/events/visits/visit-record.ts";
import type { VisitStatus } from "./story.ts";

interface Earlier {
  readonly ended: "ok" | "failed" | "cut off" | "stopped";
  readonly hash?: string;
  readonly definition?: string;
  readonly drive?: number;
}

export interface Now {
  readonly hash?: string;
  readonly definition?: string;
  readonly isContainer: boolean;
}

/**
 * A clause that follows "because"; nothing for a step that had not run before. `named`: the variables that the step names, if
 * it reads the same as it did then: what differs is their values.
 */
export function whyAgain(
  earlier: Earlier | undefined,
  now: Now,
  { force, from, changed_files }: Pick<EventData<"run_resumed">, "force" | "from" | "changed_files">,
  named: () => readonly string[] | undefined = () => undefined,
): string | undefined {
  if (!earlier) return undefined;
  const changed = differs(earlier.definition, now.definition);
  const names = changed ? named() : undefined;
  const environment = names && `the environment that it names has changed (${names.join(", ")})`;
  const since = environment ?? (changed ? "has been changed since" : undefined);
  const also = since === undefined ? "" : `, and ${since}`;
  if (earlier.ended === "cut off") return `it was cut off${also}`;
  if (earlier.ended === "stopped") return `it was stopped before it was done${also}`;
  if (earlier.ended === "failed") return `it had failed${also}`;
  if (changed) return environment ?? "its definition has changed";
  if (force) return "everything was to run again";
  if (now.isContainer) return "something inside it runs again";
  // A rehearsal knows no hash: it would have reused what reads the same.
  if (earlier.hash !== now.hash) return "what it reads has changed";
  if (from !== undefined) return `everything from ${from} on runs again`;
  return changed_files ? "a file that it runs has changed" : "its outcome could not be reused";
}

const differs = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b;

interface Change {
  readonly seq: number;
  readonly status: VisitStatus;
  /** The attempt that ended, when that was the change. */
  readonly ended?: AttemptRecord;
}

const ENDED = { ok: "completed", failed: "failed", cancelled: "cancelled" } as const;

function changesIn({ attempts, history }: VisitRecord, drive: number): readonly Change[] {
  const changes: Change[] = [];
  for (const attempt of inDrive(attempts, drive)) {
    const { began, ended, end } = attempt;
    if (ended && end) changes.push({ seq: ended.seq, status: ENDED[end], ended: attempt });
    else if (began) changes.push({ seq: began.seq, status: "running" });
  }
  if (!history) return changes;
  for (const { seq } of inDrive(history.reuses, drive)) changes.push({ seq, status: "reused" });
  for (const { seq } of inDrive(history.errors, drive)) changes.push({ seq, status: "failed" });
  for (const { seq, routed } of inDrive(history.readings, drive))
    if (routed?.to !== undefined) changes.push({ seq, status: "recovered" });
  for (const { seq } of inDrive(history.recoveries, drive)) changes.push({ seq, status: "recovered" });
  return changes.sort((a, b) => a.seq - b.seq);
}

/** The visit's status when the drive was over; `left`: the status if it has no end. */
export function statusIn(visit: VisitRecord, drive: number, left: VisitStatus): VisitStatus {
  let status: VisitStatus = "running";
  // A failure that is reused had been taken by a route in an earlier drive: that it is taken again is no news.
  for (const change of changesIn(visit, drive))
    if (!(status === "reused" && change.status === "recovered")) status = change.status;
  return status === "running" ? left : status;
}

/** How it had ended before a drive. `leftIn`: the status of a visit that has no end in that drive. */
export function earlierOf(
  visit: VisitRecord,
  before: number,
  leftIn: (drive: number) => VisitStatus,
): Earlier | undefined {
  const facts = [...visit.attempts, ...(visit.history?.readings ?? []), ...(visit.history?.recoveries ?? [])];
  const drives = [...new Set(facts.map(({ drive }) => drive))].filter((drive) => drive < before);
  let earlier: Earlier | undefined;
  for (const drive of drives.sort((a, b) => a - b)) {
    for (const { ended, status } of changesIn(visit, drive)) {
      if (ended?.end === "ok" || ended?.end === "failed")
        earlier = { ended: ended.end, hash: hashOf(ended), definition: ended.definition, drive };
      // A failure that a route took is an outcome that can be reused.
      else if (status === "recovered") earlier = { ...earlier, ended: "ok" };
    }
    const status = statusIn(visit, drive, leftIn(drive));
    const isInTheMiddle = (status === "cut_off" || status === "cancelled") && !isContainer(visit.type);
    if (isInTheMiddle) earlier = { ...earlier, ended: status === "cut_off" ? "cut off" : "stopped" };
  }
  return earlier;
}

const hashOf = ({ ending }: AttemptRecord): string | undefined =>
  ending && ending.type !== "agent_cancelled" ? ending.data.hash : undefined;
