import { called, code, defineRule } from "./rule.ts";

export const unreachableStep = defineRule({
  name: "unreachable-step",
  severity: "warning",
  description:
    "Every step and group can be reached from the entry point, over success routes, error routes, gate options or a group.",
  example: "entry_point: a\n…\n  - { name: a, type: set, value: 1 }\n  - { name: never, type: set, value: 2 }",
  *check(context) {
    const { nodes, graph, pathsKnown } = context.facts;
    if (!pathsKnown) return;
    for (const node of nodes.all) {
      if (graph.reachable.has(node.name)) continue;
      // Of a group that nothing leads to, the group is the one to tell of.
      if (node.kind === "step" && node.groups.length > 0) continue;
      yield context.about(
        node,
        [],
        `Nothing leads to the ${called(node.type)} ${code(node.name)}, so it never runs. Add a route to it, or remove it.`,
      );
    }
  },
});
