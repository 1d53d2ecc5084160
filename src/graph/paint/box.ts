// A group or sub-workflow as shapes; a for_each is a card with its items as cells.
import { BOX_SIDE, BOX_TITLE } from "../arrange/sizes.ts";
import { ICON_SIZE, ICONS } from "../look/icons.ts";
import { NAME_SIZE } from "../look/sizes.ts";
import { textWidth } from "../look/text.ts";
import { badge } from "./badge.ts";
import type { LitNode } from "./light-up.ts";
import { icon, titleOf } from "./node.ts";
import type { GroupShape } from "./shape.ts";
import { strip } from "./strip.ts";

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
