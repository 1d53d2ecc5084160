// What is in sight at first when a graph is too large to be read whole: where it begins, or what is the matter.
import type { PictureLayout, PlacedNode } from "../../../../graph/arrange/placed.ts";
import type { LightState, Lights } from "../../../../graph/lights.ts";
import { isStep } from "./walk.ts";

/** In the order in which a person would look for them. */
const MATTERS: readonly LightState[] = ["failed", "waiting", "retrying", "running"];

export const beginningOf = ({ nodes }: PictureLayout): PlacedNode | null =>
  nodes.find(({ kind, parent }) => kind === "start" && parent === null) ?? nodes[0] ?? null;

/** The chosen node, or the innermost that failed or is being driven; null: nothing but the beginning. */
export function focusOf(layout: PictureLayout, lights: Lights | null, chosen: string | null): PlacedNode | null {
  const steps = layout.nodes.filter(isStep);
  const known = steps.find(({ id }) => id === chosen);
  if (known) return known;
  for (const state of MATTERS) {
    const found = steps.filter(({ id }) => lights?.nodes[id]?.state === state).sort((a, b) => b.depth - a.depth)[0];
    if (found) return found;
  }
  return null;
}
