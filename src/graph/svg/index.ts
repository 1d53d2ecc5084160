// A picture as SVG, made without a browser. It stands alone: no scripts, no fonts from elsewhere.
import { layOutPicture } from "../arrange/lay-out-picture.ts";
import type { Lights } from "../lights.ts";
import { standaloneCss } from "../look/css.ts";
import { px, TITLE_SIZE, textWidth } from "../look/text.ts";
import { ARROWS, paintPicture } from "../paint/index.ts";
import type { PaintedShape } from "../paint/shape.ts";
import type { Picture } from "../picture.ts";

const MARGIN = 24;
const TITLE = 34;

export function svg(picture: Picture, lights: Lights | null): string {
  const layout = layOutPicture(picture);
  const width = Math.max(layout.width, textWidth(picture.title, TITLE_SIZE, true)) + 2 * MARGIN;
  const height = layout.height + 2 * MARGIN + TITLE;
  const markers = ARROWS.map(
    (name) =>
      `<marker id="arrow-${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="arrow-${name}" d="M0 0.5L8 4L0 7.5Z"/></marker>`,
  );
  const left = MARGIN + (width - 2 * MARGIN - layout.width) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" role="img">`,
    `<title>${escaped(picture.title)}</title>`,
    `<style>\n${standaloneCss()}\n</style>`,
    `<defs>${markers.join("")}</defs>`,
    `<rect class="paper" width="100%" height="100%"/>`,
    `<text class="title" x="${MARGIN}" y="${MARGIN + 10}">${escaped(picture.title)}</text>`,
    `<g transform="translate(${px(left)} ${MARGIN + TITLE})">`,
    ...paintPicture(layout, lights).map(write),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

// Shapes as SVG text.

/** XML has no way to write control characters, and a name is one line. */
const escaped = (text: string): string =>
  text
    .replace(/\s*[\n\r]\s*/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");

function write(shape: PaintedShape): string {
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
