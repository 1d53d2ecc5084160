// The items of a for_each as a strip of cells, in their order, with their counts.
import { STRIP } from "../arrange/placed.ts";
import type { ItemLight, LightState, NodeLight } from "../lights.ts";
import { px, textWidth } from "../look/text.ts";
import type { PaintedShape } from "./shape.ts";

const CELL = 9;
const WIDE = { width: CELL, pitch: 12 };
/** Of cells that stand for several items: the more of them, the truer the picture. */
const NARROW = { width: 3.5, pitch: 5 };
/** Cells that stand for items whose number is not known yet. */
const BEFORE_A_RUN = 3;
/** However few of its items they are, they can be seen. */
const SMALLEST_PART = 2.5;

/** When there are more items than cells fit, each cell stands for a few neighbours. */
export function strip(items: NodeLight["items"], left: number, top: number, room: number): readonly PaintedShape[] {
  const y = top + (STRIP - CELL) / 2 - 4;
  if (!items)
    return Array.from({ length: BEFORE_A_RUN }, (_, index) => cellShape(left + index * WIDE.pitch, y, WIDE.width));
  const { states, chosen = null } = items;
  const count = Math.max(items.count, states.length);
  const text = countsOf(states, items.count);
  const forCells = Math.max(0, room - textWidth(text, 10.5) - 8);
  const { width, pitch } = count * WIDE.pitch <= forCells ? WIDE : NARROW;
  const shown = Math.min(Math.floor(forCells / pitch), count);
  const cells = Array.from({ length: shown }, (_, index): Cell => {
    const [from, to] = itemsOfCell(index, shown, count);
    const own = states.slice(from, to);
    return { x: left + index * pitch, y, width, from, to, items: own, tally: talliedBy(own, to - from - own.length) };
  });
  const isChosen = (cell: Cell): boolean => chosen !== null && cell.items.some(({ key }) => key === chosen);
  return [
    ...cells.map((cell) => cellShape(cell.x, y, width, fillOf(cell), titleOf(cell, isChosen(cell) ? chosen : null))),
    ...cells.flatMap(worstPart),
    ...cells.filter(isChosen).map(mark),
    { type: "text", class: "detail", x: left + shown * pitch + 4, y: top + STRIP / 2, anchor: "start", text },
  ];
}

/** Which items a cell stands for: from this one, up to but not including that one. */
export const itemsOfCell = (cell: number, cells: number, items: number): readonly [from: number, to: number] => [
  Math.floor((cell * items) / cells),
  Math.floor(((cell + 1) * items) / cells),
];

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
  /** Those of its items that began. */
  readonly items: readonly ItemLight[];
  readonly tally: Tally;
}

type Tally = readonly (readonly [LightState, number])[];

const cellShape = (
  x: number,
  y: number,
  width: number,
  state: LightState = "pending",
  title?: string,
): PaintedShape => ({
  type: "rect",
  class: `cell is-${state}`,
  x,
  y,
  width,
  height: CELL,
  rx: Math.min(2, width / 3),
  ...(title === undefined ? {} : { title }),
});

/** The most urgent first. */
const WORST_FIRST: readonly LightState[] = [
  "failed",
  "waiting",
  "retrying",
  "running",
  "cancelled",
  "recovered",
  "pending",
  "completed",
  "reused",
];
const UNREMARKABLE: ReadonlySet<LightState> = new Set(["pending", "completed", "reused"]);

/** How many are in which state, the worst first. */
function talliedBy(items: readonly ItemLight[], pending: number): Tally {
  const counts = new Map<LightState, number>(pending > 0 ? [["pending", pending]] : []);
  for (const { state } of items) counts.set(state, (counts.get(state) ?? 0) + 1);
  return WORST_FIRST.flatMap((state) => {
    const count = counts.get(state);
    return count === undefined ? [] : [[state, count] as const];
  });
}

/** What most of its items are. */
const fillOf = ({ tally }: Cell): LightState =>
  tally.reduce<Tally[number]>((most, one) => (one[1] > most[1] ? one : most), ["pending", 0])[0];

/** The worst that its items are, where most are better off: as high as they are many. */
function worstPart(cell: Cell): readonly PaintedShape[] {
  const { x, y, width, from, to, tally } = cell;
  const [worst] = tally;
  if (!worst || UNREMARKABLE.has(worst[0]) || worst[0] === fillOf(cell)) return [];
  const height = Math.max(SMALLEST_PART, (CELL * worst[1]) / (to - from));
  return [{ type: "rect", class: `cell-part is-${worst[0]}`, x, y: y + CELL - height, width, height, rx: 0 }];
}

/** Points at a cell from below. */
function mark({ x, y, width }: Cell): PaintedShape {
  const [middle, tip] = [x + width / 2, y + CELL + 1.5];
  const points = [
    [middle, tip],
    [middle + 4, tip + 5],
    [middle - 4, tip + 5],
  ];
  return {
    type: "polygon",
    class: "cell-mark",
    points: points.map(([a, b]) => `${px(a ?? 0)},${px(b ?? 0)}`).join(" "),
  };
}

/** `item 3: failed`, `items 40 to 59: 1 failed, 19 completed`; numbered as templates and keys do, from 0. */
function titleOf(cell: Cell, chosen: string | null): string {
  const [first] = cell.items;
  const isOne = cell.to - cell.from === 1;
  const name = isOne ? `item ${first?.key ?? cell.from}` : `items ${cell.from} to ${cell.to - 1}`;
  const states = cell.tally.map(([state, count]) => (isOne ? state : `${count} ${state}`));
  const said = chosen === null ? [] : [isOne ? "chosen" : `${chosen} is chosen`];
  return `${name}: ${[...states, ...said].join(", ")}`;
}

/** `18 of 20 · 2 failed`: how many are done, and what is not well. */
function countsOf(items: readonly ItemLight[], count: number): string {
  const number = (...wanted: readonly LightState[]): number =>
    items.filter(({ state }) => wanted.includes(state)).length;
  const notes = (["failed", "recovered", "running"] as const).flatMap((state) =>
    number(state) > 0 ? [`${number(state)} ${state}`] : [],
  );
  return [`${number("completed", "reused", "recovered")} of ${count}`, ...notes].join(" · ");
}
