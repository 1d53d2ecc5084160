import { resolveNode } from "../analysis/named-reads.ts";
import { guardedNames, isImplied } from "./parts-of-file.ts";
import { code, defineRule, dotted } from "./rule.ts";

export const outputNotOnEveryPath = defineRule({
  name: "output-not-on-every-path",
  severity: "warning",
  description:
    "What `output:` reads without a guard has run on every way to the end. Ways that end in a terminate with its own `output_template` do not count.",
  example: 'output:\n  notes: "{{ reviewer.output.notes }}"   # and the entry point may route straight to $end',
  *check(context) {
    const { facts } = context;
    if (!facts.pathsKnown) return;
    const reported = new Set<string>();
    const guardsOf = guardedNames(facts.reads.all, facts);
    for (const read of facts.reads.all) {
      const { site, path, guarded, needsRoot } = read;
      if (site.role !== "output" || (guarded && !needsRoot)) continue;
      const named = resolveNode(read, facts);
      if (!named || !facts.nodes.get(named.name)) continue;
      const { name } = named;
      if (facts.graph.onlyMember(name) || facts.graph.onlyStandsIn(name)) continue;
      // Under `default` a missing error is expected, a missing step is not.
      const isError = named.part === "error" && !needsRoot;
      if (isError && !facts.graph.afterErrorOf(name).has("$end")) continue;
      const guards = guardsOf(site);
      if (isImplied(name, guards, facts)) continue;
      // `{% if a is defined %}…{% else %}{{ b.output }}` is fine when every way runs one of the two.
      const missing = isError ? facts.graph.endsWithoutErrorOf(name) : facts.graph.endsWithout([name, ...guards]);
      const key = `${dotted(site.path)} ${name} ${isError}`;
      if (!missing || reported.has(key)) continue;
      reported.add(key);
      const guard = `{% if ${name}${isError ? ".error" : ""} is defined %}`;
      yield context.inText(
        read,
        `${code(dotted(path))} is not there on every way to the end: ${isError ? `the run may end without ${code(name)} having raised` : `the run may end without ${code(name)} having run`}, and then the output does not render. Guard it with ${code(guard)}, or let that way end in a terminate step with ${code("output_template")}.`,
        { suggestions: [guard] },
      );
    }
  },
});
