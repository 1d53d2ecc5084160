// A layout painted as shapes: what the command line writes and the page renders. Pure, and without anything of Node.
import type { PictureLayout } from "../arrange/placed.ts";
import { BOX_SIDE, BOX_TITLE } from "../arrange/sizes.ts";
import type { Lights } from "../lights.ts";
import { ICON_SIZE, ICONS } from "../look/icons.ts";
import { NAME_SIZE, textWidth } from "../look/text.ts";
import { edgeLabel, edgeShape } from "./edge.ts";
import { type LitNode, lightUp } from "./light-up.ts";
import { badge, icon, nodeShape, titleOf } from "./node.ts";
import type { GroupShape } from "./shape.ts";
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
