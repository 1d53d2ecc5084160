// Shapes as SVG text.
import { px } from "../look/text.ts";
import type { PaintedShape } from "../paint/shape.ts";

/** XML has no way to write control characters, and a name is one line. */
export const escaped = (text: string): string =>
  text
    .replace(/\s*[\n\r]\s*/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");

export function write(shape: PaintedShape): string {
  const look = shape.class ? ` class="${shape.class}"` : "";
  switch (shape.type) {
    case "group": {
      const title = shape.title === null ? "" : `<title>${escaped(shape.title)}</title>`;
      return `<g${look}>${title}${shape.children.map(write).join("")}</g>`;
    }
    case "rect": {
      const rect = `<rect${look} x="${px(shape.x)}" y="${px(shape.y)}" width="${px(shape.width)}" height="${px(shape.height)}" rx="${px(shape.rx)}"`;
      return shape.title === undefined ? `${rect}/>` : `${rect}><title>${escaped(shape.title)}</title></rect>`;
    }
    case "circle":
      return `<circle${look} cx="${px(shape.cx)}" cy="${px(shape.cy)}" r="${px(shape.r)}"/>`;
    case "polygon":
      return `<polygon${look} points="${shape.points}"/>`;
    case "path": {
      const transform = shape.transform ? ` transform="${shape.transform}"` : "";
      return `<path${look} d="${shape.d}"${transform}${shape.markerEnd ? ` marker-end="url(#${shape.markerEnd})"` : ""}/>`;
    }
    case "text":
      return `<text${look} x="${px(shape.x)}" y="${px(shape.y)}" text-anchor="${shape.anchor}">${escaped(shape.text)}</text>`;
    default:
      return shape satisfies never;
  }
}
