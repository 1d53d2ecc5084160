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
