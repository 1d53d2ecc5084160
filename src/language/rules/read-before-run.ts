import type { Read } from "../analysis/facts.ts";
import { resolveNode } from "../analysis/named-reads.ts";
import type { Finding } from "../loaded.ts";
import { guardedNames, isImplied, shareGroup } from "./parts-of-file.ts";
import { code, defineRule, dotted, type RuleContext } from "./rule.ts";

/** Whether the text is read before its step runs. `input` is only obeyed in explicit mode, so elsewhere nothing is read through it. */
export function isEvaluated({ site }: Read, { workflow }: RuleContext): boolean {
  if (site.role === "hook" || site.role === "output" || site.role === "runtime") return false;
  return site.role !== "input" || workflow.definition.workflow.context?.mode === "explicit";
}

function* stepsInRunName(context: RuleContext): Iterable<Finding> {
  for (const read of context.facts.reads.all) {
    const named = read.site.role === "run name" && !read.guarded ? resolveNode(read, context.facts) : undefined;
    if (named)
      yield context.inText(
        read,
        `The run gets its name before ${code(named.name)} can have run, so it will have none. Read \`workflow.input\` here.`,
      );
  }
}

export const readBeforeRun = defineRule({
  name: "read-before-run",
  severity: "warning",
  description:
    "A step reads only steps that can have run before it. In a loop, what comes later in the circle is missing the first time: guard it.",
  example:
    'entry_point: writer\n…\n  - { name: writer, prompt: "{{ reviewer.output.notes }}", routes: [{ to: reviewer }] }\n  - { name: reviewer, prompt: …, routes: [{ to: writer }] }',
  *check(context) {
    const { facts } = context;
    yield* stepsInRunName(context);
    if (!facts.pathsKnown) return;
    const { graph, nodes } = facts;
    const reported = new Set<string>();
    const guardsOf = guardedNames(facts.reads.all, facts);
    for (const read of facts.reads.all) {
      const { site, path, guarded, needsRoot } = read;
      const reader = site.node;
      if ((guarded && !needsRoot) || reader === null || !isEvaluated(read, context) || !graph.reachable.has(reader))
        continue;
      const named = resolveNode(read, facts);
      if (!named || named.part === "error") continue;
      const { name } = named;
      // What a step reads of itself is another rule's to tell of.
      if (name === reader) continue;
      // Members are seen through their group only; other rules say so.
      if (graph.onlyMember(name) || graph.onlyStandsIn(name) || shareGroup(nodes, name, reader)) continue;
      const key = `${dotted(site.path)} ${name}`;
      if (graph.canPrecede(name, reader) || reported.has(key) || isImplied(name, guardsOf(site), facts)) continue;
      reported.add(key);
      const guard = `{% if ${name} is defined %}`;
      yield context.inText(
        read,
        `${code(dotted(path))} is not there the first time that ${code(reader)} runs: ${code(name)} cannot have run before it. Guard it with ${code(guard)}${site.role === "input" ? " and a `?` here" : ""}, or change the order of the steps.`,
        { suggestions: [guard] },
      );
    }
  },
});
