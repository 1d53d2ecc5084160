// Where everything in a picture stands: plain data, the same for every run of a file, so it may come from a worker and be
// kept by the hash of the definition and the set of unfolded children.
import type { Point } from "../layout/index.ts";
import type { NodeShape, PictureBox } from "../picture.ts";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A node or a box, with its upper left corner in the whole picture. */
export interface PlacedNode extends Rect {
  readonly id: string;
  readonly kind: NodeShape | PictureBox["of"];
  readonly name: string;
  readonly detail: string;
  readonly tooltip: string | null;
  /** The box that it is in. */
  readonly parent: string | null;
  /** How many boxes it is in. */
  readonly depth: number;
}

export interface PlacedEdge {
  /** Unique in the picture. */
  readonly id: string;
  /** By which lights know it. */
  readonly route: string;
  /** The steps that the route is between. */
  readonly from: string;
  readonly to: string;
  readonly kind: "success" | "when" | "error";
  readonly isLoop: boolean;
  /** How many boxes it is in. */
  readonly depth: number;
  /** From its beginning to its end. */
  readonly points: readonly Point[];
  /** A long edge is drawn as this short piece with its label, and whole only when it was taken or is pointed at. */
  readonly stub: readonly Point[] | null;
  readonly label: PlacedLabel | null;
}

/** `x` and `y` are its middle. */
export interface PlacedLabel extends Rect {
  readonly lines: readonly string[];
  readonly anchor: "middle" | "start";
}

/** Boxes stand before what is in them. */
export interface PictureLayout {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/**
 * When something unfolds, everything moves but what was clicked. How far the new layout has to be moved so that a node
 * stands where it stood: its upper left corner, since a folded node has become a box. A node that is gone is
 * represented by the nearest box around it that is there in both.
 */
export function keepInPlace(before: PictureLayout, after: PictureLayout, nodeId: string): { dx: number; dy: number } {
  const corner = ({ nodes }: PictureLayout, id: string): Point | undefined => nodes.find((node) => node.id === id);
  for (let id = nodeId; id !== ""; id = id.slice(0, Math.max(0, id.lastIndexOf("/")))) {
    const [old, now] = [corner(before, id), corner(after, id)];
    if (old && now) return { dx: old.x - now.x, dy: old.y - now.y };
  }
  return { dx: 0, dy: 0 };
}
