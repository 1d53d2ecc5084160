// A picture as SVG, made without a browser. It stands alone: no scripts, no fonts from elsewhere.
import { layOutPicture } from "../arrange/lay-out-picture.ts";
import type { Lights } from "../lights.ts";
import { standaloneCss } from "../look/css.ts";
import { TITLE_SIZE } from "../look/sizes.ts";
import { px, textWidth } from "../look/text.ts";
import { ARROWS } from "../paint/edge.ts";
import { paintPicture } from "../paint/index.ts";
import type { Picture } from "../picture.ts";
import { escaped, write } from "./write.ts";

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
