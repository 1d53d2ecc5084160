import { mayHaveOwnError } from "../analysis/sites.ts";
import { code, defineRule, type RuleContext } from "./rule.ts";

/** What leads to each step without an error; the first is enough for a sentence. */
function successLeadsTo({ facts: { graph } }: RuleContext): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { from, to, on } of graph.edges)
    if (on === "success" && !found.has(to) && graph.reachable.has(from)) found.set(to, from);
  return found;
}

export const errorBySuccessRoute = defineRule({
  name: "error-by-success-route",
  severity: "warning",
  description:
    "`error` is the envelope that led to a step. In a step that success leads to as well, it is read with a guard: `{% if error is defined %}`.",
  example:
    'steps:\n  - { name: a, prompt: …, routes: [{ to: tell }, { on_error: true, to: tell }] }\n  - { name: tell, type: set, value: "{{ error.message }}" }',
  *check(context) {
    const { facts } = context;
    if (!facts.flowKnown) return;
    const { graph, reads, nodes } = facts;
    const candidates = reads.all.filter(
      ({ path, guarded, site }) =>
        path[0] === "error" &&
        !guarded &&
        site.node !== null &&
        (site.role === "field" || site.role === "route" || site.role === "raise_when") &&
        site.locals.includes("error") &&
        !mayHaveOwnError(site, nodes.get(site.node)?.type ?? ""),
    );
    if (candidates.length === 0 || nodes.names.has("error")) return;
    const before = successLeadsTo(context);
    const reported = new Set<string>();
    for (const read of candidates) {
      const name = read.site.node ?? "";
      const node = nodes.get(name);
      // A member is led to by way of its group.
      const reached = [name, ...(node?.kind === "step" ? node.groups : [])];
      const led = reached.find((one) => graph.entry === one || before.has(one));
      if (led === undefined || reported.has(name)) continue;
      reported.add(name);
      const isFirst = graph.entry === led;
      yield context.inText(
        read,
        `${isFirst ? `The run begins with ${code(led)}` : `${code(before.get(led) ?? "")} leads to ${code(led)} when it succeeded, too`}, and then there is no \`error\`: the template would fail. Guard it with \`{% if error is defined %}\`, or let a step of its own handle the error.`,
        { suggestions: ["{% if error is defined %}"] },
      );
    }
  },
});
