// Handlers of members. Such a step runs inside the group, in the member's place, and its own success routes are not read:
// a drawing that led from it to `$end` would show a way that no run takes.
import type { FlowNode } from "../language/analysis/index.ts";

/** Steps that only ever stand in for members, each with the group they run in; null when there are several. */
export function standInsOf(
  nodes: readonly FlowNode[],
  onlyStandsIn: (name: string) => boolean,
): ReadonlyMap<string, string | null> {
  const groupsOf = new Map<string, Set<string>>();
  for (const node of nodes) {
    if (node.kind !== "step") continue;
    for (const { on_error, to } of node.routes) {
      if (on_error === undefined || to === undefined || !onlyStandsIn(to)) continue;
      const groups = groupsOf.get(to) ?? new Set<string>();
      groupsOf.set(to, groups);
      for (const group of node.groups) groups.add(group);
    }
  }
  return new Map(
    [...groupsOf].map(([name, groups]) => [name, groups.size === 1 ? ([...groups][0] ?? null) : null] as const),
  );
}
