// Which layer a node stands on: edges that lead back are turned around first, then the longest way from above counts.
import type { LayoutEdge, LayoutNode } from "./shape.ts";

export interface Directed {
  readonly upper: string;
  readonly lower: string;
  /** It leads back up, and is only drawn downwards. */
  readonly isReversed: boolean;
}

/** Edges so that there are no circles, by depth-first search in the order of the nodes. */
export function withoutCircles(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): readonly Directed[] {
  const out = new Map<string, number[]>(nodes.map(({ id }) => [id, []]));
  for (const [index, { from }] of edges.entries()) out.get(from)?.push(index);
  const state = new Map<string, "open" | "done">();
  const reversed = new Set<number>();
  const visit = (id: string): void => {
    state.set(id, "open");
    for (const index of out.get(id) ?? []) {
      const to = edges[index]?.to ?? "";
      if (state.get(to) === "open") reversed.add(index);
      else if (!state.has(to)) visit(to);
    }
    state.set(id, "done");
  };
  for (const { id } of nodes) if (!state.has(id)) visit(id);
  return edges.map(({ from, to }, index) =>
    reversed.has(index) ? { upper: to, lower: from, isReversed: true } : { upper: from, lower: to, isReversed: false },
  );
}

/** Layers from 0 downwards. A node that nothing leads to stands just above the first that it leads to. */
export function ranksOf(nodes: readonly LayoutNode[], edges: readonly Directed[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  const above = grouped(edges, ({ lower }) => lower);
  const below = grouped(edges, ({ upper }) => upper);
  const rankOf = (id: string): number => {
    const known = ranks.get(id);
    if (known !== undefined) return known;
    ranks.set(id, 0);
    const rank = Math.max(0, ...(above.get(id) ?? []).map(({ upper }) => rankOf(upper) + 1));
    ranks.set(id, rank);
    return rank;
  };
  for (const { id } of nodes) rankOf(id);
  for (const { id } of nodes) {
    const next = below.get(id) ?? [];
    if (!above.has(id) && next.length > 0)
      ranks.set(id, Math.max(0, Math.min(...next.map(({ lower }) => ranks.get(lower) ?? 0)) - 1));
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
