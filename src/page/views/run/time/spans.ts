// What the timeline draws: for each step the stretches in which it ran, waited or was taken over, from the fold of visits.
import { itemOfSlot, visitNumber } from "../../../../events/key.ts";
import { isContainer, onlyWaits } from "../../../../events/node-types.ts";
import { LEFT_RUNNING, statusAfter } from "../../../../events/run-end.ts";
import { type Driven, isRecovered, wasCutOff } from "../../../../events/visits/verdicts.ts";
import type { VisitFold } from "../../../../events/visits/visit-fold.ts";
import type { AttemptRecord, VisitRecord } from "../../../../events/visits/visit-record.ts";
import { CUT_OFF_WORD, completedWithout } from "../../../../graph/lights.ts";
import type { State } from "../../../parts/button.tsx";
import { type StepAddress, stepText } from "../../../state/step-address.ts";

export interface TimeSpan {
  readonly from: number;
  readonly to: number;
  readonly state: State;
  /** Nothing is done in it: a person is asked, a retry is waited for. */
  readonly isWait: boolean;
  /** A group or sub-workflow: what is inside it counts. */
  readonly isContainer: boolean;
  readonly visit: number;
  readonly attempt: number | null;
  readonly drive: number;
  readonly about: string;
}

export interface TimeRow {
  readonly id: string;
  readonly step: StepAddress;
  readonly item: string | null;
  /** The items that it is part of, outermost first: its own, and those in which its sub-workflow was called. */
  readonly items: readonly string[];
  /** In how many groups and sub-workflows it is. */
  readonly depth: number;
  readonly spans: readonly TimeSpan[];
}

/**
 * @param now until when what has not ended is drawn
 * @param cutOffAt no process drives the run any more, and no event says so: the time of its last event of any type
 */
export function timeRows(
  { visits, drives }: Pick<VisitFold, "visits" | "drives">,
  now: number,
  drive: number | null,
  cutOffAt: number | null = null,
): readonly TimeRow[] {
  const driven: Driven = { drives, isCutOff: cutOffAt !== null };
  const rows = new Map<string, DrawnRow>();
  for (const visit of visits.values()) {
    const spans = spansOf(visit, driven, now, cutOffAt).filter((span) => drive === null || span.drive === drive);
    if (spans.length === 0) continue;
    const { path, node, itemKey = null, history } = visit;
    const id = rowId(visit);
    const row = rows.get(id) ?? {
      id,
      step: { path, node },
      item: itemKey,
      items: [...path.flatMap(itemOfSlot), ...(itemKey === null ? [] : [itemKey])],
      depth: depthOf(visit),
      inside: history?.parent ? rowId(history.parent) : null,
      spans: [],
    };
    row.spans.push(...spans);
    rows.set(id, row);
  }
  return inTheirPlaces(rows);
}

interface DrawnRow extends TimeRow {
  readonly spans: TimeSpan[];
  /** The row of the group or sub-workflow that it is part of. */
  readonly inside: string | null;
}

const rowId = ({ path, node, itemKey = "" }: VisitRecord): string => `${stepText({ path, node })} ${itemKey}`;

function depthOf({ history }: VisitRecord): number {
  let depth = 0;
  for (let above = history?.parent; above; above = above.history?.parent) depth += 1;
  return depth;
}

/** What is set in belongs to the row above it: items go on at the same time, and their steps would stand among each other. */
function inTheirPlaces(rows: ReadonlyMap<string, DrawnRow>): readonly TimeRow[] {
  const inside = new Map<string | null, DrawnRow[]>();
  for (const row of rows.values()) {
    const above = row.inside !== null && rows.has(row.inside) && row.inside !== row.id ? row.inside : null;
    const there = inside.get(above);
    if (there) there.push(row);
    else inside.set(above, [row]);
  }
  const placed: TimeRow[] = [];
  const next = (inside.get(null) ?? []).toReversed();
  for (let row = next.pop(); row; row = next.pop()) {
    placed.push(row);
    next.push(...(inside.get(row.id) ?? []).toReversed());
  }
  return placed;
}

function spansOf(visit: VisitRecord, driven: Driven, now: number, cutOffAt: number | null): readonly TimeSpan[] {
  const number = visitNumber(visit.key);
  const spans: TimeSpan[] = visit.attempts.flatMap((attempt, index) => {
    if (!attempt.began) return [];
    const from = Date.parse(attempt.began.at);
    const left = attempt.ended ? null : leftAt(visit, attempt, driven, cutOffAt);
    const to = attempt.ended ? Date.parse(attempt.ended.at) : (left?.at ?? now);
    const { state, word = state } = left ?? endOf(visit, attempt, index, driven);
    return [
      {
        from,
        to,
        state,
        isWait: onlyWaits(attempt.type),
        isContainer: isContainer(attempt.type),
        visit: number,
        attempt: attempt.number,
        drive: attempt.drive,
        about: `attempt ${attempt.number} ${word}`,
      },
    ];
  });
  for (const { at, scheduled, drive } of visit.retries) {
    const from = Date.parse(at);
    const to = Math.min(Date.parse(scheduled.until), now);
    spans.push({
      from,
      to: Math.max(from, to),
      state: "retrying",
      isWait: true,
      isContainer: false,
      visit: number,
      attempt: null,
      drive,
      about: `waits for retry ${scheduled.nth ?? ""}`,
    });
  }
  for (const { at, drive } of visit.history?.reuses ?? []) {
    const from = Date.parse(at);
    spans.push({
      from,
      to: from,
      state: "reused",
      isWait: false,
      isContainer: false,
      visit: number,
      attempt: null,
      drive,
      about: "reused",
    });
  }
  return spans;
}

/** One without an end of its own ended when its outcome was taken over after all, or with its drive. Null: it goes on. */
function leftAt(
  { history }: VisitRecord,
  { began, drive, type }: AttemptRecord,
  driven: Driven,
  cutOffAt: number | null,
): { readonly at: number; readonly state: State; readonly word?: string } | null {
  const reuse = history?.reuses.find((one) => one.drive === drive && one.seq > (began?.seq ?? 0));
  if (reuse) return { at: Date.parse(reuse.at), state: "reused" };
  const record = driven.drives[drive - 1];
  if (!record) return null;
  const at = Date.parse(record.lastAt);
  const isPresent = drive === driven.drives.length;
  // What a script printed last is not among the events that are folded here.
  if (wasCutOff(driven, drive)) return { at: isPresent ? (cutOffAt ?? at) : at, state: "failed", word: CUT_OFF_WORD };
  if (!record.end) return null;
  const status = LEFT_RUNNING[statusAfter(record.end)];
  return { at, state: onlyWaits(type) || status === "paused" ? "waiting" : status };
}

function endOf(
  visit: VisitRecord,
  { end, ended, type }: AttemptRecord,
  index: number,
  driven: Driven,
): { readonly state: State; readonly word?: string } {
  if (end === "ok") {
    const lost = visit.history?.groupEnds.findLast(({ seq }) => seq < (ended?.seq ?? 0))?.lost ?? 0;
    return lost > 0 ? { state: "recovered", word: completedWithout(lost) } : { state: "completed" };
  }
  if (end === "cancelled") return { state: "cancelled" };
  if (end === undefined) return { state: onlyWaits(type) ? "waiting" : "running" };
  const isLast = index === visit.attempts.length - 1;
  return { state: isLast && isRecovered(visit, driven) ? "recovered" : "failed" };
}
