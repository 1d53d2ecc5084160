// When something unfolds, everything moves but what was clicked.
import type { Point } from "../layout/index.ts";
import type { PictureLayout } from "./placed.ts";

/**
 * How far the new layout has to be moved so that a node stands where it stood: its upper left corner, since a folded node
 * has become a box. A node that is gone is represented by the nearest box around it that is there in both.
 */
export function keepInPlace(before: PictureLayout, after: PictureLayout, nodeId: string): { dx: number; dy: number } {
  const corner = ({ nodes }: PictureLayout, id: string): Point | undefined => nodes.find((node) => node.id === id);
  for (let id = nodeId; id !== ""; id = id.slice(0, Math.max(0, id.lastIndexOf("/")))) {
    const [old, now] = [corner(before, id), corner(after, id)];
    if (old && now) return { dx: old.x - now.x, dy: old.y - now.y };
  }
  return { dx: 0, dy: 0 };
}
