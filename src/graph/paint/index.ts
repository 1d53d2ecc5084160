// A layout painted as shapes: what the command line writes and the page renders. Pure, and without anything of Node.
import { BOX_SIDE, BOX_TITLE, type PictureLayout, type PlacedLabel } from "../arrange/placed.ts";
import type { Point } from "../layout/index.ts";
import type { Lights } from "../lights.ts";
import { ICON_SIZE, ICONS, LABEL_LINE, LABEL_SIZE, NAME_SIZE, px, textWidth } from "../look/text.ts";
import { badge, icon, nodeShape, titleOf } from "./node.ts";
import { type GroupShape, type LitEdge, type LitNode, lightUp, type PaintedShape, type PathShape } from "./shape.ts";
import { strip } from "./strip.ts";

const BOXES: ReadonlySet<string> = new Set(["parallel", "for_each", "workflow"]);

/** Boxes and nodes first, then edges, the path that was taken above the ways that were not, then labels. */
export function paintPicture(layout: PictureLayout, lights: Lights | null): readonly GroupShape[] {
  const { nodes, edges } = lightUp(layout, lights);
  const isStub = ({ stub, isTaken }: (typeof edges)[number]): boolean => stub !== null && !isTaken;
  const whole = edges.filter((edge) => !isStub(edge));
  return [
    ...nodes.map((node) => (BOXES.has(node.kind) ? boxShape(node) : nodeShape(node))),
    ...whole.filter(({ isTaken }) => !isTaken).map(edgeShape),
    ...whole.filter(({ isTaken }) => isTaken).map(edgeShape),
    ...whole.flatMap((edge) => edgeLabel(edge) ?? []),
    // Last, so that the way of a stub that is pointed at lies above everything.
    ...edges.filter(isStub).map(edgeShape),
  ];
}

/** A group or sub-workflow as shapes; a for_each is a card with its items as cells. */
function boxShape(box: LitNode): GroupShape {
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

export const ARROWS = ["plain", "untaken", "taken", "error"] as const;
type Arrow = (typeof ARROWS)[number];

const arrowOf = ({ kind, isTaken }: LitEdge): Arrow =>
  kind === "error" ? "error" : isTaken === null ? "plain" : isTaken ? "taken" : "untaken";

const classOf = ({ kind, isTaken }: LitEdge): string =>
  [kind, isTaken === null ? "" : isTaken ? "taken" : "untaken"].filter(Boolean).join(" ");

function edgeShape(edge: LitEdge): GroupShape {
  const whole: PathShape = {
    type: "path",
    class: "line",
    d: edge.isLoop ? loop(edge.points) : edge.stub ? rounded(edge.points) : curve(edge.points),
    markerEnd: `arrow-${arrowOf(edge)}`,
  };
  // A stub is drawn whole when it was taken; otherwise it shows its way only to who points at it.
  const isStub = edge.stub !== null && !edge.isTaken;
  return group(edge, "edge", [
    ...(edge.stub && isStub ? [{ type: "path", class: "line stub", d: curve(edge.stub) } as const] : []),
    isStub ? { ...whole, class: "line hidden-way" } : whole,
    ...(isStub && edge.label ? labelShapes(edge.label, edge.depth) : []),
  ]);
}

/** The label of a stub is part of it: pointing at it shows the way. */
const edgeLabel = (edge: LitEdge): GroupShape | undefined =>
  edge.label && (edge.stub === null || edge.isTaken) ? group(edge, "", labelShapes(edge.label, edge.depth)) : undefined;

const group = (edge: LitEdge, name: string, children: readonly PaintedShape[]): GroupShape => ({
  type: "group",
  class: [name, name === "edge" && !(edge.stub && !edge.isTaken) ? "" : "label", classOf(edge)]
    .filter(Boolean)
    .join(" "),
  id: name === "edge" ? `edge:${edge.id}` : `label:${edge.id}`,
  of: { edge: edge.id, from: edge.from, to: edge.to },
  title: null,
  children,
});

function labelShapes({ x, y, width, height, lines, anchor }: PlacedLabel, depth: number): readonly PaintedShape[] {
  const top = y - ((lines.length - 1) * LABEL_LINE) / 2 + LABEL_SIZE * 0.36;
  const texts = lines.map(
    (text, index) => ({ type: "text", class: "", x, y: top + index * LABEL_LINE, anchor, text }) as const,
  );
  if (anchor === "start") return texts;
  const paper = {
    type: "rect",
    class: `label-paper ${depth === 0 ? "" : depth % 2 === 1 ? "in-box" : "in-inner-box"}`.trim(),
    x: x - width / 2,
    y: y - height / 2,
    width,
    height,
    rx: 4,
  } as const;
  return [paper, ...texts];
}

// Edges as paths: curves between layers, rounded corners on the ways around, loops beside a node.

const at = ({ x, y }: Point): string => `${px(x)} ${px(y)}`;

/** From place to place with vertical beginnings and ends. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let [path, from] = [`M${at(first)}`, first];
  for (const to of rest) {
    if (Math.abs(to.x - from.x) < 0.5) path += `L${at(to)}`;
    else {
      const middle = (from.y + to.y) / 2;
      path += `C${px(from.x)} ${px(middle)} ${px(to.x)} ${px(middle)} ${at(to)}`;
    }
    from = to;
  }
  return path;
}

const RADIUS = 6;

/** Straight lines with rounded corners. */
function rounded(points: readonly Point[]): string {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return "";
  const corners = points.slice(1, -1).map((corner, index) => {
    const [before, after] = [points[index] ?? corner, points[index + 2] ?? corner];
    return `L${at(towards(corner, before))}Q${at(corner)} ${at(towards(corner, after))}`;
  });
  return `M${at(first)}${corners.join("")}L${at(last)}`;
}

function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

/** Out of a node and back into it. */
function loop([from, far, to]: readonly Point[]): string {
  if (!from || !far || !to) return "";
  return `M${at(from)}C${px(far.x)} ${px(from.y - 7)} ${px(far.x)} ${px(to.y + 7)} ${at(to)}`;
}
