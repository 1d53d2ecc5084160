// The layers with everything that takes up room on them: nodes, the places where long edges pass, and labels. Between two
// layers of nodes there is one for labels, so that no label ever lies on a node or on another label.
import { type LayoutEdge, type LayoutNode, largest, type Size, smallest } from "./shape.ts";

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

export interface Directed {
  readonly upper: string;
  readonly lower: string;
  /** It leads back up, and is only drawn downwards. */
  readonly isReversed: boolean;
}

/** Edges so that there are no circles, by depth-first search in the order of the nodes. */
function withoutCircles(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): readonly Directed[] {
  const out = new Map<string, number[]>(nodes.map(({ id }) => [id, []]));
  for (const [index, { from }] of edges.entries()) out.get(from)?.push(index);
  const state = new Map<string, "open" | "done">();
  const reversed = new Set<number>();
  // With a stack of its own: a workflow may be thousands of steps long.
  const visit = (root: string): void => {
    const stack = [{ id: root, edges: (out.get(root) ?? []).values() }];
    state.set(root, "open");
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const next = top.edges.next();
      if (next.done) {
        state.set(top.id, "done");
        stack.pop();
        continue;
      }
      const to = edges[next.value]?.to ?? "";
      if (state.get(to) === "open") reversed.add(next.value);
      else if (!state.has(to)) {
        state.set(to, "open");
        stack.push({ id: to, edges: (out.get(to) ?? []).values() });
      }
    }
  };
  for (const { id } of nodes) if (!state.has(id)) visit(id);
  return edges.map(({ from, to }, index) =>
    reversed.has(index) ? { upper: to, lower: from, isReversed: true } : { upper: from, lower: to, isReversed: false },
  );
}

/** Layers from 0 downwards. A node that nothing leads to stands just above the first that it leads to. */
function ranksOf(nodes: readonly LayoutNode[], edges: readonly Directed[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  const above = grouped(edges, ({ lower }) => lower);
  const below = grouped(edges, ({ upper }) => upper);
  const open = new Map(nodes.map(({ id }) => [id, above.get(id)?.length ?? 0]));
  const ready = nodes.filter(({ id }) => open.get(id) === 0).map(({ id }) => id);
  for (const id of ready) ranks.set(id, 0);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    const rank = ranks.get(id) ?? 0;
    for (const { lower } of below.get(id) ?? []) {
      ranks.set(lower, Math.max(ranks.get(lower) ?? 0, rank + 1));
      const left = (open.get(lower) ?? 0) - 1;
      open.set(lower, left);
      if (left === 0) ready.push(lower);
    }
  }
  for (const { id } of nodes) {
    const next = below.get(id) ?? [];
    if (!above.has(id) && next.length > 0)
      ranks.set(id, Math.max(0, smallest(next.map(({ lower }) => ranks.get(lower) ?? 0)) - 1));
  }
  return ranks;
}

function grouped(
  edges: readonly Directed[],
  keyOf: (edge: Directed) => string,
): ReadonlyMap<string, readonly Directed[]> {
  const groups = new Map<string, Directed[]>();
  for (const edge of edges) {
    const list = groups.get(keyOf(edge));
    if (list) list.push(edge);
    else groups.set(keyOf(edge), [edge]);
  }
  return groups;
}
