// Arrows along edges: down where a step leads, up where one came from, left and right to what stands beside.
import type { PictureLayout, PlacedNode } from "../../../../graph/arrange/placed.ts";

export type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

const SILENT: ReadonlySet<string> = new Set(["start", "end", "any", "parent", "halt"]);

/** Nodes that can be chosen: steps, groups and sub-workflows. */
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
