import { resolveNode } from "../analysis/named-reads.ts";
import { code, defineRule, dotted } from "./rule.ts";

export const lastOnlyReference = defineRule({
  name: "last-only-reference",
  severity: "warning",
  description: "In `context.mode: last_only` a step's templates see only the step that ran just before it.",
  example: 'context: { mode: last_only }\n…   # a → b → c\n  - { name: c, prompt: "{{ a.output.plan }}" }',
  *check(context) {
    const { facts, workflow } = context;
    if (workflow.definition.workflow.context?.mode !== "last_only" || !facts.pathsKnown) return;
    const precedes = new Set(facts.graph.edges.map(({ from, to }) => `${from} ${to}`));
    for (const read of facts.reads.all) {
      const { site, path, guarded } = read;
      const named = resolveNode(read, facts);
      const reader = site.node === null ? undefined : facts.nodes.get(site.node);
      if (guarded || !site.narrowed || !named || reader?.kind !== "step") continue;
      // A member follows whatever its group follows, and a stand-in the member that failed.
      const entered = [reader.name, ...reader.groups];
      if (entered.some((name) => precedes.has(`${named.name} ${name}`)) || facts.graph.onlyStandsIn(reader.name))
        continue;
      yield context.inText(
        read,
        `${code(dotted(path))} is not there: the context mode is last_only, and no route leads straight from ${code(named.name)} to ${code(reader.name)}. Use \`context.mode: accumulate\`, or pass the value on with a \`set\` step.`,
      );
    }
  },
});
