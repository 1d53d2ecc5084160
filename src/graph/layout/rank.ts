// Which layer a node stands on: edges that lead back are turned around first, then the longest way from above counts.
import { smallest } from "./extremes.ts";
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
export function ranksOf(nodes: readonly LayoutNode[], edges: readonly Directed[]): ReadonlyMap<string, number> {
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
