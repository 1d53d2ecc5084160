// A picture as SVG, made without a browser. It stands alone: no scripts, no fonts from elsewhere.
import type { Picture } from "../picture.ts";
import { ARROWS, FONT } from "./look.ts";
import { arrange } from "./measure.ts";
import { paintAll } from "./paint.ts";
import { escaped, px, textWidth } from "./text.ts";

const MARGIN = 24;
const TITLE = 34;

export function svg(picture: Picture): string {
  const arranged = arrange(picture.items, picture.edges);
  const width = Math.max(arranged.width, textWidth(picture.title, 16, true)) + 2 * MARGIN;
  const height = arranged.height + 2 * MARGIN + TITLE;
  const markers = Object.entries(ARROWS).map(
    ([name, color]) =>
      `<marker id="${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5L8 4L0 7.5Z" fill="${color}"/></marker>`,
  );
  const origin = { x: MARGIN + (width - 2 * MARGIN - arranged.width) / 2, y: MARGIN + TITLE };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" font-family="${FONT}" role="img">`,
    `<title>${escaped(picture.title)}</title>`,
    `<defs>${markers.join("")}</defs>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="${MARGIN}" y="${MARGIN + 10}" font-size="16" font-weight="700" fill="#0f172a">${escaped(picture.title)}</text>`,
    ...paintAll(arranged, origin),
    "</svg>",
    "",
  ].join("\n");
}
