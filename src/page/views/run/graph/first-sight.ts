// What is in sight when a graph is too large to be read whole: where it begins, what is the matter, or what runs.
import type { PictureLayout, PlacedNode } from "../../../../graph/arrange/placed.ts";
import type { LightState, Lights } from "../../../../graph/lights.ts";
import { isStep } from "./walk.ts";

/** In the order in which a person would look for them. A question comes first: the run waits for the user. */
const MATTERS: readonly LightState[] = ["waiting", "failed", "retrying", "running"];

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

/** In the order in which the picture follows them while a run goes on. */
const GOES_ON: readonly LightState[] = ["retrying", "waiting", "running"];

/** The innermost steps that the run is at; of one that has just ended, those that failed. */
export function followedIn({ nodes }: PictureLayout, lights: Lights, hasEnded: boolean): readonly PlacedNode[] {
  for (const state of hasEnded ? (["failed"] as const) : GOES_ON) {
    const found = nodes.filter((node) => isStep(node) && lights.nodes[node.id]?.state === state);
    if (found.length === 0) continue;
    const around = new Set(found.map(({ parent }) => parent));
    return found.filter(({ id }) => !around.has(id)).sort((a, b) => b.depth - a.depth);
  }
  return [];
}

/** Of steps by their ids, those that are drawn: for one in a sub-workflow that is folded, the sub-workflow. */
export function drawnOf({ nodes }: PictureLayout, ids: readonly string[]): readonly PlacedNode[] {
  const found = ids.map((id) => {
    const around = nodes.filter((node) => isStep(node) && (node.id === id || id.startsWith(`${node.id}/`)));
    return around.sort((a, b) => b.id.length - a.id.length)[0];
  });
  return found.filter((node) => node !== undefined);
}
