// Finding one's way in a graph: what is in sight at first, and where the arrow keys lead.
import type { PictureLayout, PlacedNode } from "../../../../../graph/arrange/placed.ts";
import type { LightState, Lights } from "../../../../../graph/lights.ts";

export type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

const SILENT: ReadonlySet<string> = new Set(["start", "end", "any", "parent", "halt"]);

export const isStep = ({ kind }: PlacedNode): boolean => !SILENT.has(kind);

export function nextNode(
  layout: PictureLayout,
  from: string | null,
  arrow: Arrow,
  isTaken: (route: string) => boolean,
): string | null {
  const steps = layout.nodes.filter(isStep);
  const here = steps.find(({ id }) => id === from);
  if (!here) return steps[0]?.id ?? null;
  if (arrow === "ArrowLeft" || arrow === "ArrowRight") return beside(steps, here, arrow);
  const isDown = arrow === "ArrowDown";
  const known = new Map(steps.map((node) => [node.id, node]));
  const ways = layout.edges
    .filter((edge) => !edge.isLoop && (isDown ? edge.from : edge.to) === here.id)
    .map((edge) => ({
      node: known.get(isDown ? edge.to : edge.from),
      rank: (isTaken(edge.route) ? 0 : 2) + (edge.kind === "error" ? 1 : 0),
    }))
    .filter((way) => way.node && way.node !== here)
    .sort((a, b) => a.rank - b.rank);
  return ways[0]?.node?.id ?? nearest(steps, here, isDown);
}

const middle = ({ x, width }: PlacedNode): number => x + width / 2;
const center = ({ y, height }: PlacedNode): number => y + Math.min(height, 60) / 2;

/** Where no edge leads on, the next thing below or above, into a box and out of it. */
function nearest(steps: readonly PlacedNode[], here: PlacedNode, isDown: boolean): string | null {
  const sign = isDown ? 1 : -1;
  const cost = (node: PlacedNode): number =>
    (center(node) - center(here)) * sign + Math.abs(middle(node) - middle(here)) / 2;
  const further = steps.filter((node) => node !== here && (center(node) - center(here)) * sign > 4);
  return further.sort((a, b) => cost(a) - cost(b))[0]?.id ?? here.id;
}

function beside(steps: readonly PlacedNode[], here: PlacedNode, arrow: Arrow): string {
  const sign = arrow === "ArrowRight" ? 1 : -1;
  const cost = (node: PlacedNode): number =>
    Math.abs(middle(node) - middle(here)) + 3 * Math.abs(center(node) - center(here));
  const further = steps.filter((node) => node !== here && (middle(node) - middle(here)) * sign > 4);
  return further.sort((a, b) => cost(a) - cost(b))[0]?.id ?? here.id;
}

// What is in sight when a graph is too large to be read whole: where it begins, what is the matter, or what runs.

/** In the order in which a person would look for them. A question comes first: the run waits for the user. */
const MATTERS: readonly LightState[] = ["waiting", "failed", "retrying", "running"];

export const beginningOf = ({ nodes }: PictureLayout): PlacedNode | null =>
  nodes.find(({ kind, parent }) => kind === "start" && parent === null) ?? nodes[0] ?? null;

interface Looked {
  readonly lights: Lights | null;
  readonly chosen: string | null;
  /** What the run is about, where its lights do not show it: it may have been visited again since. */
  readonly matter: string | null;
}

/** The chosen node, or the innermost that failed or is being driven, or what matters; null: nothing but the beginning. */
export function focusOf(layout: PictureLayout, { lights, chosen, matter }: Looked): PlacedNode | null {
  const steps = layout.nodes.filter(isStep);
  const known = steps.find(({ id }) => id === chosen);
  if (known) return known;
  for (const state of MATTERS) {
    const found = steps.filter(({ id }) => lights?.nodes[id]?.state === state).sort((a, b) => b.depth - a.depth)[0];
    if (found) return found;
  }
  return (matter !== null && drawnOf(layout, [matter])[0]) || null;
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
