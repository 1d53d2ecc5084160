// Edges as paths: curves between layers, rounded corners on the ways around, loops beside a node.
import type { Point } from "../layout/index.ts";
import { px } from "../look/text.ts";

const at = ({ x, y }: Point): string => `${px(x)} ${px(y)}`;

/** From place to place with vertical beginnings and ends. */
export function curve(points: readonly Point[]): string {
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
export function rounded(points: readonly Point[]): string {
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
export function loop([from, far, to]: readonly Point[]): string {
  if (!from || !far || !to) return "";
  return `M${at(from)}C${px(far.x)} ${px(from.y - 7)} ${px(far.x)} ${px(to.y + 7)} ${at(to)}`;
}
