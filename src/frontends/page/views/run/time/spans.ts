// What the timeline draws: for each step the stretches in which it ran, waited or was taken over, from the fold of visits. And
// where: what happened in proportion, idle time folded to a strip that says how long it was.
import { itemOfSlot, visitNumber } from "../../../../../base/events/key.ts";
import { isContainer, onlyWaits } from "../../../../../base/events/node-types.ts";
import { LEFT_RUNNING, statusAfter } from "../../../../../base/events/run-end.ts";
import { type Driven, isRecovered, wasCutOff } from "../../../../../base/events/visits/verdicts.ts";
import type { VisitFold } from "../../../../../base/events/visits/visit-fold.ts";
import type { AttemptRecord, VisitRecord } from "../../../../../base/events/visits/visit-record.ts";
import { CUT_OFF_WORD, completedWithout } from "../../../../../graph/lights.ts";
import type { State } from "../../../parts/button.tsx";
import { type StepAddress, stepText } from "../../../state/step-address.ts";
import { clock } from "../../../text.ts";

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
  readonly depth: number;
  readonly spans: readonly TimeSpan[];
}

/**
 * @param now until when what has not ended is drawn
 * @param cutOffAt no process drives the run any more, and no event says so: the time of its last event
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
  const plain = { visit: visitNumber(visit.key), isWait: false, isContainer: false, attempt: null };
  const attempts = visit.attempts.flatMap((attempt, index): readonly TimeSpan[] => {
    if (!attempt.began) return [];
    const left = attempt.ended ? null : leftAt(visit, attempt, driven, cutOffAt);
    const { state, word = state } = left ?? endOf(visit, attempt, index, driven);
    return [
      {
        ...plain,
        from: Date.parse(attempt.began.at),
        to: attempt.ended ? Date.parse(attempt.ended.at) : (left?.at ?? now),
        state,
        isWait: onlyWaits(attempt.type),
        isContainer: isContainer(attempt.type),
        attempt: attempt.number,
        drive: attempt.drive,
        about: `attempt ${attempt.number} ${word}`,
      },
    ];
  });
  const waits = visit.retries.map(({ at, scheduled, drive }): TimeSpan => {
    const from = Date.parse(at);
    const to = Math.max(from, Math.min(Date.parse(scheduled.until), now));
    return {
      ...plain,
      from,
      to,
      state: "retrying",
      isWait: true,
      drive,
      about: `waits for retry ${scheduled.nth ?? ""}`,
    };
  });
  const reuses = (visit.history?.reuses ?? []).map(({ at, drive }): TimeSpan => {
    const from = Date.parse(at);
    return { ...plain, from, to: from, state: "reused", drive, about: "reused" };
  });
  return [...attempts, ...waits, ...reuses];
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

export interface FoldedTime {
  readonly from: number;
  readonly to: number;
  /** Places, as fractions of the width. */
  readonly left: number;
  readonly width: number;
}

export interface TimeScale {
  place(time: number): number;
  readonly folded: readonly FoldedTime[];
  /** At round times, at most as many as there is room for. */
  ticks(most: number): readonly Tick[];
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly isIdle: boolean;
  left: number;
  width: number;
}

const LEAST_FOLDED = 0.05;
const MOST_FOLDED = 0.45;
const SHORTEST_IDLE_MS = 2000;
const IDLE_PART = 0.08;
const MOST_TICKS = 6;

/** @param foldedWidth what a fold needs for its label, as a fraction of the width */
export function timeScale(rows: readonly TimeRow[], foldedWidth = LEAST_FOLDED): TimeScale {
  const spans = rows.flatMap((row) => row.spans);
  const begin = spans.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
  const end = spans.reduce((most, { to }) => Math.max(most, to), begin);
  const pieces = piecesOf(
    spans.filter(({ isWait, isContainer }) => !isWait && !isContainer),
    begin,
    Math.max(end, begin + 1),
  );
  const idle = pieces.filter((piece) => piece.isIdle);
  const folded = Math.min(Math.max(foldedWidth, LEAST_FOLDED), MOST_FOLDED / Math.max(1, idle.length));
  const busyTime = pieces.reduce((sum, piece) => sum + (piece.isIdle ? 0 : piece.to - piece.from), 0) || 1;
  let left = 0;
  for (const piece of pieces) {
    piece.left = left;
    piece.width = piece.isIdle ? folded : ((piece.to - piece.from) / busyTime) * (1 - folded * idle.length);
    left += piece.width;
  }
  const place = (time: number): number => {
    const piece = pieces.find(({ to }) => time <= to) ?? pieces.at(-1);
    if (!piece) return 0;
    const part = (time - piece.from) / Math.max(1, piece.to - piece.from);
    return piece.left + Math.max(0, Math.min(1, part)) * piece.width;
  };
  return { place, folded: idle, ticks: (most) => ticksOf(pieces, busyTime, Math.min(most, MOST_TICKS)) };
}

function piecesOf(
  spans: readonly { readonly from: number; readonly to: number }[],
  begin: number,
  end: number,
): readonly Piece[] {
  const busy: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = busy.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else busy.push({ from, to });
  }
  const total = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const longEnough = Math.max(SHORTEST_IDLE_MS, total * IDLE_PART);
  const pieces: Piece[] = [];
  let from = begin;
  const add = (to: number, isIdle: boolean): void => {
    if (to > from) pieces.push({ from, to, isIdle, left: 0, width: 0 });
    from = Math.max(from, to);
  };
  for (const span of busy) {
    if (span.from - from > longEnough) add(span.from, true);
    add(span.to, false);
  }
  if (end - from > longEnough) add(end, true);
  else add(end, false);
  return pieces;
}

/** At round times of the clock, as many as there is room for: between two of them is the same step. */
function ticksOf(pieces: readonly Piece[], busyTime: number, most: number): readonly Tick[] {
  if (most < 1) return [];
  const step = stepFor(busyTime / most);
  const digits = digitsFor(step);
  const ticks: Tick[] = [];
  for (const { from, to, isIdle, left, width } of pieces) {
    if (isIdle) continue;
    for (let time = roundUp(from, step); time <= to; time += step) {
      const at = left + ((time - from) / Math.max(1, to - from)) * width;
      const last = ticks.at(-1);
      // Beside a fold there may be no room for both.
      if (last && at - last.at < NARROWEST_TICK / most) continue;
      ticks.push({ at, text: clock(time, digits) });
    }
  }
  return ticks;
}

/** Of the room that each tick would have, if all were as far from each other. */
const NARROWEST_TICK = 0.6;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** 1, 2 and 5 times a power of ten of milliseconds, seconds, minutes and hours, where these divide the unit above. */
function stepFor(leastMs: number): number {
  const least = Math.max(1, leastMs);
  const unit = least > 20 * MINUTE_MS ? HOUR_MS : least > 20 * SECOND_MS ? MINUTE_MS : 1;
  const power = unit * 10 ** Math.max(0, Math.floor(Math.log10(least / unit)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}

/** By the clock on the wall, whose midnight is another one than that of the epoch. */
function roundUp(time: number, step: number): number {
  const offset = new Date(time).getTimezoneOffset() * MINUTE_MS;
  return Math.ceil((time - offset) / step) * step + offset;
}

/** Digits after the second: as few as tell one tick from the next. */
const digitsFor = (betweenMs: number): 0 | 1 | 2 | 3 =>
  betweenMs >= 1000 ? 0 : betweenMs >= 100 ? 1 : betweenMs >= 10 ? 2 : 3;
