// What the layout is given and what it gives back. It knows sizes and edges, nothing of workflows.

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LayoutNode extends Size {
  readonly id: string;
  /** Room that is kept free to its right, for loops. */
  readonly beside: number;
}

export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
  /** Room for what stands on it. */
  readonly label: Size | null;
  /** How much it should be straight. */
  readonly weight: number;
  /** One that would pass more layers than this is cut to a stub, with a label of its own that says where it leads. */
  readonly stub: { readonly passing: number; readonly label: Size } | null;
}

export interface LaidEdge {
  /** From its beginning to its end. */
  readonly points: readonly Point[];
  /** The short piece that stands for it, down to its label; null when it is drawn whole. */
  readonly stub: readonly Point[] | null;
  /** The middle of its label. */
  readonly label: Point | null;
}

export interface Laid extends Size {
  /** The upper left corner of each node. */
  readonly nodes: ReadonlyMap<string, Point>;
  /** In the order in which they were given; nothing for loops. */
  readonly edges: readonly (LaidEdge | undefined)[];
}

export const largest = (values: Iterable<number>, least = 0): number => {
  let found = least;
  for (const value of values) if (value > found) found = value;
  return found;
};

export const smallest = (values: Iterable<number>, most = Number.POSITIVE_INFINITY): number => {
  let found = most;
  for (const value of values) if (value < found) found = value;
  return found;
};
