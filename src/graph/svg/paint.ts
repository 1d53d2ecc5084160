// Items and edges as SVG elements.
import type { Point } from "../layout/index.ts";
import type { PictureEdge, PictureNode } from "../picture.ts";
import { boxLook, DETAIL_SIZE, edgeLook, LABEL_LINE, LABEL_SIZE, NAME_SIZE, nodeLook } from "./look.ts";
import { type Arranged, BOX_SIDE, BOX_TITLE, LOOP_REACH, labelSize, loopHeight, type PlacedItem } from "./measure.ts";
import { escaped, px } from "./text.ts";

/** Everything at a place: boxes and nodes first, then edges, then labels, so that no line crosses a word. */
export function paintAll(arranged: Arranged, origin: Point, depth = 0): readonly string[] {
  const items = arranged.items.flatMap((placed) => paintItem(placed, origin, depth));
  const lines = arranged.edges.map(({ edge, points }) =>
    paintLine(
      edge,
      points.map((point) => moved(point, origin)),
    ),
  );
  const labels = arranged.edges.flatMap(({ edge, label }) => (label ? [paintLabel(edge, moved(label, origin))] : []));
  const loops = arranged.items.flatMap((placed) => paintLoops(placed, origin));
  return [...items, ...faintFirst(arranged, lines), ...loops, ...labels];
}

/** The path that was taken lies above the ways that were not. */
function faintFirst(arranged: Arranged, lines: readonly string[]): readonly string[] {
  const lit = lines.filter((_, index) => arranged.edges[index]?.edge.isLit === true);
  return [...lines.filter((_, index) => arranged.edges[index]?.edge.isLit !== true), ...lit];
}

const moved = ({ x, y }: Point, origin: Point): Point => ({ x: x + origin.x, y: y + origin.y });

function paintItem(placed: PlacedItem, origin: Point, depth: number): readonly string[] {
  const { item, at, width, height, inner } = placed;
  const { x, y } = moved(at, origin);
  if (item.kind === "node") return [paintNode(item, x, y, width, height)];
  const { fill, stroke, text, strokeWidth } = boxLook(item.status, depth);
  const dash = item.of === "workflow" ? "" : ' stroke-dasharray="2 3"';
  const innerX = x + (width - (inner?.width ?? 0)) / 2;
  return [
    `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" rx="10" fill="${fill}" stroke="${stroke}" stroke-width="${strokeWidth}"${dash}/>`,
    `<text x="${px(x + BOX_SIDE - 6)}" y="${px(y + 19)}" fill="${text}"><tspan font-size="${NAME_SIZE}" font-weight="600">${escaped(item.name)}</tspan><tspan font-size="${DETAIL_SIZE}" dx="8" fill-opacity="0.75">${escaped(item.detail)}</tspan></text>`,
    ...(inner ? paintAll(inner, { x: innerX, y: y + BOX_TITLE }, depth + 1) : []),
  ];
}

function paintNode(node: PictureNode, x: number, y: number, width: number, height: number): string {
  const { fill, stroke, text, strokeWidth } = nodeLook(node);
  const [cx, cy] = [x + width / 2, y + height / 2];
  const look = `fill="${fill}" stroke="${stroke}" stroke-width="${strokeWidth}"`;
  switch (node.shape) {
    case "start":
      return `<circle cx="${px(cx)}" cy="${px(cy)}" r="6" fill="${fill}"/>`;
    case "end":
      return `<circle cx="${px(cx)}" cy="${px(cy)}" r="8.2" fill="#ffffff" stroke="${stroke}" stroke-width="1.4"/><circle cx="${px(cx)}" cy="${px(cy)}" r="5" fill="${fill}"><title>$end</title></circle>`;
    case "gate":
      return `<path d="${cornered(x, y, width, height, 18, height / 2)}" ${look}/>${words(node, cx, cy, text)}`;
    case "terminate_success":
    case "terminate_failed":
    case "halt":
      return `<path d="${cornered(x, y, width, height, Math.min(13, height / 3), Math.min(13, height / 3))}" ${look}/>${words(node, cx, cy, text)}`;
    case "parent":
    case "any":
      return `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" rx="${px(height / 2)}" ${look} stroke-dasharray="3 3"/>${words(node, cx, cy, text)}`;
    case "step":
      return `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" rx="7" ${look}/>${words(node, cx, cy, text)}`;
    default:
      return node.shape satisfies never;
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
  return `M${points.map(([a, b]) => `${px(a)} ${px(b)}`).join("L")}Z`;
}

function words({ name, detail, shape }: PictureNode, cx: number, cy: number, color: string): string {
  const small = shape === "any" || shape === "parent" || shape === "halt";
  const weight = small ? "" : ' font-weight="600"';
  const size = small ? DETAIL_SIZE + 0.5 : NAME_SIZE;
  const title = `<text x="${px(cx)}" y="${px(detail ? cy - 2 : cy + size * 0.36)}" text-anchor="middle" font-size="${size}"${weight} fill="${color}">${escaped(name)}</text>`;
  if (!detail) return title;
  return `${title}<text x="${px(cx)}" y="${px(cy + 13)}" text-anchor="middle" font-size="${DETAIL_SIZE}" fill="${color}" fill-opacity="0.7">${escaped(detail)}</text>`;
}

function paintLine(edge: PictureEdge, points: readonly Point[]): string {
  const { stroke, width, dash, arrow } = edgeLook(edge);
  return `<path d="${curve(points)}" fill="none" stroke="${stroke}" stroke-width="${width}"${dash ? ` stroke-dasharray="${dash}"` : ""} marker-end="url(#${arrow})"/>`;
}

/** From place to place with vertical beginnings and ends. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let [path, from] = [`M${px(first.x)} ${px(first.y)}`, first];
  for (const to of rest) {
    if (Math.abs(to.x - from.x) < 0.5) path += `L${px(to.x)} ${px(to.y)}`;
    else {
      const middle = (from.y + to.y) / 2;
      path += `C${px(from.x)} ${px(middle)} ${px(to.x)} ${px(middle)} ${px(to.x)} ${px(to.y)}`;
    }
    from = to;
  }
  return path;
}

function paintLabel(edge: PictureEdge, { x, y }: Point): string {
  const { width, height } = labelSize(edge.label);
  const paper = `<rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${px(width)}" height="${px(height)}" rx="4" fill="#ffffff" fill-opacity="0.94"/>`;
  return paper + labelText(edge, x, y, "middle");
}

function labelText(edge: PictureEdge, x: number, y: number, anchor: "middle" | "start"): string {
  const { text } = edgeLook(edge);
  const top = y - ((edge.label.length - 1) * LABEL_LINE) / 2 + LABEL_SIZE * 0.36;
  return edge.label
    .map(
      (line, index) =>
        `<text x="${px(x)}" y="${px(top + index * LABEL_LINE)}" text-anchor="${anchor}" font-size="${LABEL_SIZE}" fill="${text}">${escaped(line)}</text>`,
    )
    .join("");
}

/** Retries, to the right of what is tried again. */
function paintLoops({ item, at, width, height, loops }: PlacedItem, origin: Point): readonly string[] {
  const { x, y } = moved(at, origin);
  const right = x + width;
  const total = loops.reduce((sum, loop) => sum + loopHeight(loop), 0);
  let top = y + (item.kind === "box" ? BOX_TITLE : (height - total) / 2);
  return loops.map((loop) => {
    const middle = top + loopHeight(loop) / 2;
    top += loopHeight(loop);
    const { stroke, width: thick, dash, arrow } = edgeLook(loop);
    const path = `M${px(right)} ${px(middle - 7)}C${px(right + LOOP_REACH)} ${px(middle - 14)} ${px(right + LOOP_REACH)} ${px(middle + 14)} ${px(right)} ${px(middle + 7)}`;
    return `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${thick}"${dash ? ` stroke-dasharray="${dash}"` : ""} marker-end="url(#${arrow})"/>${labelText(loop, right + LOOP_REACH, middle, "start")}`;
  });
}
