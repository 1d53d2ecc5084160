// A group or sub-workflow as shapes; a for_each is a card with its items as cells.
import { BOX_SIDE, BOX_TITLE, STRIP } from "../arrange/sizes.ts";
import type { LightState, NodeLight } from "../lights.ts";
import { ICON_SIZE, ICONS } from "../look/icons.ts";
import { NAME_SIZE } from "../look/sizes.ts";
import { textWidth } from "../look/text.ts";
import { badge } from "./badge.ts";
import type { LitNode } from "./light-up.ts";
import { icon, titleOf } from "./node.ts";
import type { GroupShape, PaintedShape } from "./shape.ts";

export function boxShape(box: LitNode): GroupShape {
  const { id, kind, name, detail, depth, state, light, x, y, width, height } = box;
  const isLit = state !== null && state !== "pending";
  const parts = ["box", kind === "workflow" ? "" : "group", depth % 2 === 1 ? "odd" : "", state ? `is-${state}` : ""];
  const left = x + BOX_SIDE - 6;
  const nameAt = left + (state ? ICON_SIZE + 5 : 0);
  const detailAt = nameAt + textWidth(name, NAME_SIZE, true) + 10;
  return {
    type: "group",
    class: [...parts, isLit ? "lit" : ""].filter(Boolean).join(" "),
    id: `node:${id}`,
    of: { node: id },
    title: titleOf(box),
    children: [
      { type: "rect", class: "body", x, y, width, height, rx: 10 },
      ...(state ? [icon(ICONS[state], left, y + 8.5)] : []),
      { type: "text", class: "name", x: nameAt, y: y + 19, anchor: "start", text: name },
      { type: "text", class: "detail", x: detailAt, y: y + 19, anchor: "start", text: detail },
      ...(kind === "for_each" ? strip(light?.items ?? null, left, y + BOX_TITLE - 3, width - 2 * BOX_SIDE) : []),
      ...badge(light?.retries ?? 0, x + width, y),
    ],
  };
}

const CELL = 9;
const PITCH = 12;
/** Of cells that stand for several items: the more of them, the truer the picture. */
const NARROW = { width: 3.5, pitch: 5 };
/** Cells that stand for items nobody has counted yet. */
const BEFORE_A_RUN = 3;

/** Items in their order. When there are more than fit, each cell stands for a few neighbours and says the worst of them. */
function strip(items: NodeLight["items"], left: number, top: number, room: number): readonly PaintedShape[] {
  const cell = (index: number, state: string, { width, pitch } = { width: CELL, pitch: PITCH }): PaintedShape => ({
    type: "rect",
    class: `cell is-${state}`,
    x: left + index * pitch,
    y: top + (STRIP - CELL) / 2 - 4,
    width,
    height: CELL,
    rx: Math.min(2, width / 3),
  });
  if (!items) return Array.from({ length: BEFORE_A_RUN }, (_, index) => cell(index, "pending"));
  const states = items.states.map(({ state }) => state);
  const waiting = Math.max(0, items.count - states.length);
  const text = countsOf(states, items.count);
  const forCells = Math.max(0, room - textWidth(text, 10.5) - 8);
  const all = [...states, ...Array.from({ length: waiting }, () => "pending" as const)];
  const look = all.length * PITCH <= forCells ? { width: CELL, pitch: PITCH } : NARROW;
  const shown = Math.min(Math.floor(forCells / look.pitch), all.length);
  return [
    ...Array.from({ length: shown }, (_, index) =>
      cell(index, worstOf(all.slice(...itemsOfCell(index, shown, all.length))), look),
    ),
    {
      type: "text",
      class: "detail",
      x: left + shown * look.pitch + 4,
      y: top + STRIP / 2,
      anchor: "start",
      text,
    },
  ];
}

/** Which items a cell stands for: from this one, up to but not including that one. */
export const itemsOfCell = (cell: number, cells: number, items: number): readonly [from: number, to: number] => [
  Math.floor((cell * items) / cells),
  Math.floor(((cell + 1) * items) / cells),
];

/** In the order in which somebody would want to know of them. */
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

const worstOf = (states: readonly LightState[]): LightState =>
  WORST_FIRST.find((state) => states.includes(state)) ?? "pending";

/** `18 of 20 · 2 failed`: how many are done, and what is not well. */
function countsOf(states: readonly string[], count: number): string {
  const number = (...wanted: readonly string[]): number => states.filter((state) => wanted.includes(state)).length;
  const notes = (["failed", "recovered", "running"] as const).flatMap((state) =>
    number(state) > 0 ? [`${number(state)} ${state}`] : [],
  );
  return [`${number("completed", "reused", "recovered")} of ${count}`, ...notes].join(" · ");
}
