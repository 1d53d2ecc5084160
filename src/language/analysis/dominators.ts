// Dominators of a directed graph: what must have been passed on every way from the root to a node.
// The iterative method of Cooper, Harvey and Kennedy; a few passes even for large files, and constant-time questions.

export interface Dominators {
  /** Whether there is a way from the root. */
  isReachable(node: string): boolean;
  /** Whether every way to `node` passes `by`. A node dominates itself. False for what cannot be reached. */
  dominates(by: string, node: string): boolean;
}

/** Nodes in reverse postorder: each before its successors, but for those that close a circle. */
function reversePostorder(root: string, successors: (node: string) => readonly string[]): readonly string[] {
  const seen = new Set([root]);
  const order: string[] = [];
  const stack = [{ node: root, next: successors(root), at: 0 }];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const child = top.next[top.at++];
    if (child === undefined) {
      order.push(top.node);
      stack.pop();
    } else if (!seen.has(child)) {
      seen.add(child);
      stack.push({ node: child, next: successors(child), at: 0 });
    }
  }
  return order.reverse();
}

export function dominatorsOf(root: string, successors: (node: string) => readonly string[]): Dominators {
  const order = reversePostorder(root, successors);
  const rank = new Map(order.map((node, index) => [node, index]));
  const predecessors: number[][] = order.map(() => []);
  for (const [index, node] of order.entries())
    for (const next of successors(node)) predecessors[rank.get(next) ?? 0]?.push(index);

  const parent = new Int32Array(order.length).fill(-1);
  parent[0] = 0;
  const meet = (a: number, b: number): number => {
    let [one, other] = [a, b];
    while (one !== other) {
      while (one > other) one = parent[one] ?? 0;
      while (other > one) other = parent[other] ?? 0;
    }
    return one;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (let node = 1; node < order.length; node++) {
      let found = -1;
      for (const before of predecessors[node] ?? [])
        if (parent[before] !== -1) found = found === -1 ? before : meet(before, found);
      if (found !== parent[node]) {
        parent[node] = found;
        changed = true;
      }
    }
  }

  return {
    isReachable: (node) => rank.has(node),
    dominates(by, node) {
      const wanted = rank.get(by);
      let at = rank.get(node);
      if (wanted === undefined || at === undefined) return false;
      // A dominator always has the lower rank, so the climb can stop early.
      while (at > wanted) at = parent[at] ?? 0;
      return at === wanted;
    },
  };
}
