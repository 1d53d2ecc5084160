// A node as shapes: its outline, its name, and what a run left on it.
import { DETAIL_SIZE, fitting, ICON_SIZE, ICONS, NAME_SIZE, PLUS, px, textWidth } from "../look/text.ts";
import type { GroupShape, LitNode, PaintedShape } from "./shape.ts";

export function nodeShape(node: LitNode): GroupShape {
  return {
    type: "group",
    class: classOf(node),
    id: `node:${node.id}`,
    of: { node: node.id },
    title: titleOf(node),
    children: [...outline(node), ...words(node), ...marks(node)],
  };
}

const SMALL: ReadonlySet<string> = new Set(["any", "parent", "halt"]);
/** Shapes that have a colour of their own before any run. */
const OWN_STATE: Readonly<Record<string, string>> = {
  terminate_success: "is-completed",
  terminate_failed: "is-failed",
  halt: "is-failed",
  any: "is-pending",
  parent: "is-pending",
};

function classOf({ kind, state }: LitNode): string {
  const shown = state === null ? OWN_STATE[kind] : `is-${state}`;
  const isLit = state !== null && state !== "pending";
  return ["node", kind, SMALL.has(kind) ? "small" : "", shown ?? "", isLit ? "lit" : ""].filter(Boolean).join(" ");
}

export function titleOf({ name, state, light, tooltip }: LitNode): string | null {
  const retries = light && light.retries > 0 ? `tried again ${light.retries}×` : "";
  // A shape may show another state than its light has: then its word is about that one.
  const word = light !== null && light.state === state ? light.word : null;
  const parts = [word ?? state ?? "", retries, light?.reason ?? tooltip ?? ""].filter(Boolean);
  return parts.length === 0 || name === "" ? null : `${name}: ${parts.join(" · ")}`;
}

function outline({ kind, x, y, width, height }: LitNode): readonly PaintedShape[] {
  const [cx, cy] = [x + width / 2, y + height / 2];
  const rect = (rx: number): PaintedShape => ({ type: "rect", class: "body", x, y, width, height, rx });
  switch (kind) {
    case "start":
      return [{ type: "circle", class: "body", cx, cy, r: 6 }];
    case "end":
      return [
        { type: "circle", class: "body", cx, cy, r: 8.2 },
        { type: "circle", class: "dot", cx, cy, r: 5 },
      ];
    case "gate":
      return [{ type: "polygon", class: "body", points: cornered(x, y, width, height, 18, height / 2) }];
    case "terminate_success":
    case "terminate_failed":
    case "halt": {
      const cut = Math.min(13, height / 3);
      return [{ type: "polygon", class: "body", points: cornered(x, y, width, height, cut, cut) }];
    }
    case "parent":
    case "any":
      return [rect(height / 2)];
    case "folded":
      // Cards that lie on each other.
      return [{ type: "rect", class: "body", x: x + 5, y: y + 4, width: width - 4, height, rx: 7 }, rect(7)];
    default:
      return [rect(7)];
  }
}

/** A rectangle with its corners cut: an octagon, or a hexagon when the cuts meet. */
function cornered(x: number, y: number, width: number, height: number, cutX: number, cutY: number): string {
  const points: readonly (readonly [number, number])[] = [
    [x + cutX, y],
    [x + width - cutX, y],
    [x + width, y + cutY],
    [x + width, y + height - cutY],
    [x + width - cutX, y + height],
    [x + cutX, y + height],
    [x, y + height - cutY],
    [x, y + cutY],
  ];
  return points.map(([a, b]) => `${px(a)},${px(b)}`).join(" ");
}

function words({ kind, name, light, detail: written, x, y, width, height }: LitNode): readonly PaintedShape[] {
  if (kind === "start" || kind === "end") return [];
  const detail = light?.reason ? fitting(light.reason, DETAIL_SIZE, width - 2 * BESIDE_REASON) : written;
  const [cx, cy] = [x + width / 2, y + height / 2];
  const size = SMALL.has(kind) ? DETAIL_SIZE + 0.5 : NAME_SIZE;
  const text = (look: string, line: string, at: number): PaintedShape => ({
    type: "text",
    class: look,
    x: cx,
    y: at,
    anchor: "middle",
    text: line,
  });
  if (!detail) return [text("name", name, cy + size * 0.36)];
  return [text("name", name, cy - 2), text("detail", detail, cy + 13)];
}

/** Room for the icon, and the same on the other side. */
const BESIDE_REASON = ICON_SIZE + 15;

/** The icon of its state on the left, how often it was tried again in the upper right corner. */
function marks({ kind, state, light, x, y, width, height }: LitNode): readonly PaintedShape[] {
  if (SMALL.has(kind) || kind === "start" || kind === "end") return [];
  const left = x + (kind === "step" || kind === "folded" ? 6 : 13);
  return [
    ...(state ? [icon(ICONS[state], left, y + (height - ICON_SIZE) / 2)] : []),
    ...(kind === "folded" ? [icon(PLUS, x + width - ICON_SIZE - 5, y + (height - ICON_SIZE) / 2)] : []),
    ...badge(light?.retries ?? 0, x + width, y),
  ];
}

export const icon = (d: string, x: number, y: number): PaintedShape => ({
  type: "path",
  class: "icon",
  d,
  transform: `translate(${px(x)} ${px(y)})`,
});

const HEIGHT = 15;

/** How often something was tried again, on its upper right corner. */
export function badge(retries: number, right: number, top: number): readonly PaintedShape[] {
  if (retries === 0) return [];
  const text = `↻ ${retries}`;
  const width = textWidth(text, 10) + 8;
  const [x, y] = [right - width + 8, top - HEIGHT / 2];
  return [
    { type: "rect", class: "badge", x, y, width, height: HEIGHT, rx: HEIGHT / 2 },
    { type: "text", class: "badge-text", x: x + width / 2, y: y + 11, anchor: "middle", text },
  ];
}
