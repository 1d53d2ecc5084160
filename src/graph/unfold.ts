// Sub-workflows fold to one node and unfold in place. Which are unfolded is a set of ids, so a page keeps it in its
// address; a picture is drawn once, with everything in it, and folded here.

import type { LoadedWorkflow } from "../language/loaded.ts";
import { itemsBelow, type Picture, type PictureBox, type PictureItem, type PictureNode } from "./picture.ts";

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
