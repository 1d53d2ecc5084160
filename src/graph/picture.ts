// What a drawing of a workflow is made of, before anybody decides where it goes: nodes, boxes and edges with labels.
// Plain data, and nothing of any run: a picture is made once for a file, and lit by `Lights`.
import type { LoadedWorkflow } from "../language/loaded.ts";

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

/** Above this, sub-workflows are folded at first: more cannot be read at once. */
export const FOLDED_ABOVE = 60;

/** A sub-workflow as one node, with the count of what is in it. */
export const foldedBox = ({ id, name, steps }: Pick<PictureBox, "id" | "name" | "steps" | "detail">): PictureNode => ({
  kind: "node",
  id,
  name,
  detail: `workflow · ${steps} step${steps === 1 ? "" : "s"}`,
  shape: "folded",
  tooltip: null,
});

/** The picture with all sub-workflows folded but those named; to see one, those around it have to be unfolded too. */
export function foldedPicture(picture: Picture, unfolded: ReadonlySet<string>): Picture {
  const fold = (item: PictureItem): PictureItem => {
    if (item.kind === "node") return item;
    if (item.of === "workflow" && !unfolded.has(item.id)) return foldedBox(item);
    return { ...item, items: item.items.map(fold) };
  };
  return { ...picture, items: picture.items.map(fold) };
}

/** What is unfolded before the user chooses: everything, or nothing in a large picture. */
export function unfoldedAtFirst({ items }: Picture): ReadonlySet<string> {
  const all = itemsBelow(items);
  if (all.length > FOLDED_ABOVE) return new Set();
  return new Set(all.flatMap((item) => (item.kind === "box" && item.of === "workflow" ? [item.id] : [])));
}

/**
 * How many steps a sub-workflow has: what a folded one says of itself. Those of the file and of the files that it
 * calls; one that calls itself, or a file above, counts no further.
 */
export function stepsBelow(workflow: LoadedWorkflow, above: readonly LoadedWorkflow[]): number {
  const { agents, for_each } = workflow.definition;
  let count = 0;
  for (const step of [...agents, ...for_each.map(({ agent }) => agent)]) {
    count += 1;
    const child = step.type === "workflow" ? workflow.children.get(step.workflow) : undefined;
    if (child && !above.includes(child)) count += stepsBelow(child, [...above, child]);
  }
  return count;
}
