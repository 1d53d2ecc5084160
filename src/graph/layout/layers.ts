// The layers with everything that takes up room on them: nodes, the places where long edges pass, and labels. Between two
// layers of nodes there is one for labels, so that no label ever lies on a node or on another label.
import { largest } from "./extremes.ts";
import { ranksOf, withoutCircles } from "./rank.ts";
import type { LayoutEdge, LayoutNode, Size } from "./shape.ts";

/** Something on a layer. `x` is its middle. */
export interface LayerCell extends Size {
  readonly rank: number;
  /** The node, or nothing where an edge passes. */
  readonly node: string | null;
  readonly beside: number;
  readonly up: Link[];
  readonly down: Link[];
  x: number;
}

export interface Link {
  readonly cell: LayerCell;
  readonly weight: number;
}

/** The cells that an edge goes through, from above to below. */
export interface Chain {
  readonly cells: readonly LayerCell[];
  readonly label: LayerCell | null;
  readonly isReversed: boolean;
  /** Of an edge cut to a stub, which has no cells but the node it leaves and its label: these, and where it leads. */
  readonly stub: { readonly from: LayerCell; readonly label: LayerCell; readonly leadsTo: LayerCell } | null;
}

export interface Layers {
  readonly layers: LayerCell[][];
  readonly cells: ReadonlyMap<string, LayerCell>;
  /** By edge; nothing for loops. */
  readonly chains: readonly (Chain | undefined)[];
}

export function layersOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layers {
  const isLoop = ({ from, to }: LayoutEdge): boolean => from === to;
  const straight = edges.filter((edge) => !isLoop(edge));
  const directed = withoutCircles(nodes, straight);
  const ranks = ranksOf(nodes, directed);
  const rankOf = (id: string): number => 2 * (ranks.get(id) ?? 0);
  // One more than the last: a stub may leave the lowest node.
  const count = largest(nodes.map(({ id }) => rankOf(id))) + 2;
  const layers: LayerCell[][] = Array.from({ length: count }, () => []);
  const add = (rank: number, size: Size, node: string | null = null, beside = 0): LayerCell => {
    const cell: LayerCell = { rank, ...size, node, beside, up: [], down: [], x: 0 };
    layers[rank]?.push(cell);
    return cell;
  };
  const cells = new Map(
    nodes.map((node) => [
      node.id,
      add(rankOf(node.id), { width: node.width, height: node.height }, node.id, node.beside),
    ]),
  );

  const chainOf = (index: number): Chain | undefined => {
    const { upper, lower, isReversed } = directed[index] ?? { upper: "", lower: "", isReversed: false };
    const [top, bottom] = [cells.get(upper), cells.get(lower)];
    const edge = straight[index];
    if (!top || !bottom || !edge) return undefined;
    if (edge.stub && (bottom.rank - top.rank) / 2 > edge.stub.passing) {
      const [from, leadsTo] = isReversed ? [bottom, top] : [top, bottom];
      const label = add(from.rank + 1, edge.stub.label);
      // The label stands at its node; the node does not lean towards the label, or a long chain would lean all the way.
      label.up.push({ cell: from, weight: STUB });
      return { cells: [from, label], label, isReversed: false, stub: { from, label, leadsTo } };
    }
    // A label stands next to where the edge begins.
    const labelRank = isReversed ? bottom.rank - 1 : top.rank + 1;
    const passing: LayerCell[] = [];
    let label: LayerCell | null = null;
    for (let rank = top.rank + 1; rank < bottom.rank; rank++) {
      const isLabel = edge.label !== null && rank === labelRank;
      const cell = add(rank, isLabel && edge.label ? edge.label : { width: 0, height: 0 });
      if (isLabel) label = cell;
      passing.push(cell);
    }
    const chain = [top, ...passing, bottom];
    for (let at = 1; at < chain.length; at++) connect(chain[at - 1], chain[at], edge.weight);
    return { cells: chain, label, isReversed, stub: null };
  };
  const chains = straight.map((_, index) => chainOf(index));
  let next = 0;
  if (layers.at(-1)?.length === 0) layers.pop();
  return { layers, cells, chains: edges.map((edge) => (isLoop(edge) ? undefined : chains[next++])) };
}

const STUB = 0.001;
/** Long edges should be straight where they pass. */
const PASSING = 4;

function connect(upper: LayerCell | undefined, lower: LayerCell | undefined, weight: number): void {
  if (!upper || !lower) return;
  const straightness = weight * (upper.node === null && lower.node === null ? PASSING : 1);
  upper.down.push({ cell: lower, weight: straightness });
  lower.up.push({ cell: upper, weight: straightness });
}
