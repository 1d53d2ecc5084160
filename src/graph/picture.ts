// What a drawing of a workflow is made of, before anybody decides where it goes: nodes, boxes and edges with labels.
// Plain data, and nothing of any run: a picture is made once for a file, and lit by `Lights`.

export type NodeShape =
  | "step"
  | "gate"
  | "terminate_success"
  | "terminate_failed"
  | "start"
  | "end"
  | "halt"
  | "parent"
  /** Stands for every step of the file: `error_routes` begin here. */
  | "any"
  /** A sub-workflow that is folded to one node. */
  | "folded";

export interface PictureNode {
  readonly kind: "node";
  /** Unique in the picture: `package/verify`. */
  readonly id: string;
  readonly name: string;
  /** A second, smaller line: the type. */
  readonly detail: string;
  readonly shape: NodeShape;
  /** More to read when it is pointed at: why a terminate step ends the run. */
  readonly tooltip: string | null;
}

/** A group, or a sub-workflow, with what is inside. */
export interface PictureBox {
  readonly kind: "box";
  readonly id: string;
  readonly name: string;
  readonly detail: string;
  readonly of: "parallel" | "for_each" | "workflow";
  readonly items: readonly PictureItem[];
  readonly edges: readonly PictureEdge[];
  /** How many steps are inside, those of sub-workflows included. */
  readonly steps: number;
}

export type PictureItem = PictureNode | PictureBox;

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly on: "success" | "error";
  /** Whether a condition decides. */
  readonly isConditional: boolean;
  /** A retry of the step itself, drawn as a loop. */
  readonly isRetry: boolean;
  /** Lines of the label, shortened. */
  readonly label: readonly string[];
  /** By which `Lights` know that it was taken. */
  readonly route: string;
}

export interface Picture {
  readonly title: string;
  readonly items: readonly PictureItem[];
  readonly edges: readonly PictureEdge[];
}

export const itemsBelow = (items: readonly PictureItem[]): readonly PictureItem[] =>
  items.flatMap((item) => (item.kind === "box" ? [item, ...itemsBelow(item.items)] : [item]));

export const edgesBelow = ({ items, edges }: Pick<Picture, "items" | "edges">): readonly PictureEdge[] => [
  ...edges,
  ...items.flatMap((item) => (item.kind === "box" ? edgesBelow(item) : [])),
];
