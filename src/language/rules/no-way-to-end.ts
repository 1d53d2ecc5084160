import { code, defineRule, listed, type RuleContext } from "./rule.ts";

/** Steps without an end, gathered into the circles that they form, in file order. */
function circles({ facts }: RuleContext): readonly (readonly string[])[] {
  const { nodes, graph } = facts;
  const stuck = nodes.all
    .filter((node) => graph.reachable.has(node.name) && !graph.canEnd(node.name))
    .filter((node) => node.kind === "group" || !(graph.onlyMember(node.name) || graph.onlyStandsIn(node.name)))
    .map((node) => node.name);
  const neighbours = new Map<string, string[]>(stuck.map((name) => [name, []]));
  for (const { from, to } of graph.edges) {
    if (!neighbours.has(from) || !neighbours.has(to)) continue;
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const seen = new Set<string>();
  return stuck.flatMap((start) => {
    if (seen.has(start)) return [];
    const circle = new Set<string>();
    const queue = [start];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (circle.has(name)) continue;
      circle.add(name);
      seen.add(name);
      queue.push(...(neighbours.get(name) ?? []));
    }
    return [stuck.filter((name) => circle.has(name))];
  });
}

export const noWayToEnd = defineRule({
  name: "no-way-to-end",
  severity: "warning",
  description:
    "From every step there is a way to `$end`, a terminate step or a halt. Without one, only a limit or a timeout ends the run.",
  example:
    "steps:\n  - { name: a, type: set, value: 1, routes: [{ to: b }] }\n  - { name: b, type: set, value: 2, routes: [{ to: a }] }",
  *check(context) {
    const { nodes, pathsKnown } = context.facts;
    if (!pathsKnown) return;
    for (const circle of circles(context)) {
      const first = nodes.get(circle[0] ?? "");
      if (!first) continue;
      yield context.about(
        first,
        [],
        circle.length === 1
          ? `From ${code(first.name)} no route leads to an end, so only \`limits\` would stop the run. Add a route to \`$end\`.`
          : `${listed(circle, "and")} lead only to one another, so only \`limits\` would stop the run. Give one of them a route to \`$end\`.`,
      );
    }
  },
});
