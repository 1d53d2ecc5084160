// How often something was tried again, on its upper right corner.
import { textWidth } from "../look/text.ts";
import type { PaintedShape } from "./shape.ts";

const HEIGHT = 15;

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
