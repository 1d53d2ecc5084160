// From time to place: what happened is drawn in proportion, idle time is folded to a strip that says how long it was.
import { clock } from "../../../parts/text.ts";
import type { TimeRow } from "./spans.ts";

export interface FoldedTime {
  readonly from: number;
  readonly to: number;
  /** Places, as fractions of the width. */
  readonly left: number;
  readonly width: number;
}

export interface TimeScale {
  /** The place of a time, as a fraction of the width. */
  place(time: number): number;
  readonly folded: readonly FoldedTime[];
  /** As many as there is room for, each saying another time than the one before it. */
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

/** Times in which something ran, and the long ones between in which nothing did. */
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

function ticksOf(pieces: readonly Piece[], busyTime: number, most: number): readonly Tick[] {
  const digits = digitsFor(busyTime / Math.max(1, most));
  const ticks: Tick[] = [];
  for (let index = 0; index < most; index++) {
    const at = index / most;
    const piece = pieces.findLast(({ left }) => left <= at);
    if (!piece || piece.isIdle || piece.width === 0) continue;
    const time = piece.from + ((at - piece.left) / piece.width) * (piece.to - piece.from);
    const text = clock(time, digits);
    if (text !== ticks.at(-1)?.text) ticks.push({ at, text });
  }
  return ticks;
}

/** Digits after the second: as few as tell one tick from the next. */
const digitsFor = (betweenMs: number): 0 | 1 | 2 | 3 =>
  betweenMs >= 1000 ? 0 : betweenMs >= 100 ? 1 : betweenMs >= 10 ? 2 : 3;
