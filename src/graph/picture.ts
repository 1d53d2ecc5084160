// What a drawing of a workflow is made of, before anybody decides where it goes: nodes, boxes and edges with labels.

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
  | "any";

export interface PictureNode {
  readonly kind: "node";
  /** Unique in the picture: `package/verify`. */
  readonly id: string;
  readonly name: string;
  /** A second, smaller line: the type. */
  readonly detail: string;
  readonly shape: NodeShape;
  readonly status: NodeStatus | null;
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
  readonly status: NodeStatus | null;
}

export type PictureItem = PictureNode | PictureBox;

/** `unlit`: a run was asked for, and it did not come this way. */
export type NodeStatus = "completed" | "failed" | "recovered" | "running" | "unlit";

/** The route of the file that an edge is: what a run took is told by these. */
export interface EdgeRoute {
  /** The picture's id of the node whose table it is in; of `error_routes` that of `$any`. */
  readonly node: string;
  /** `answer`: a gate's own route, `index` being the option's place. */
  readonly table: "step" | "workflow" | "answer";
  readonly index: number;
  readonly line: number | null;
  /** The whole condition, and all kinds, as written. */
  readonly when?: string;
  readonly kinds?: readonly string[];
}

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly on: "success" | "error";
  /** A retry of the step itself, drawn as a loop. */
  readonly isRetry: boolean;
  /** Lines of the label, shortened. */
  readonly label: readonly string[];
  /** null: no run was asked for. */
  readonly isLit: boolean | null;
  /** Absent where no route is written: the entry, and `$end` of a step without routes. */
  readonly route?: EdgeRoute;
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
