import { resolveNode } from "../analysis/named-reads.ts";
import { guardedNames, isImplied } from "./parts-of-file.ts";
import { isEvaluated } from "./read-before-run.ts";
import { code, defineRule, dotted } from "./rule.ts";

export const selfReadUnguarded = defineRule({
  name: "self-read-unguarded",
  severity: "warning",
  description:
    "A step that reads its own `output` or `error`, of an attempt or a round before, finds nothing the first time: guard it with `{% if a.error is defined %}`. `default` does not help: there is no `a` yet.",
  example:
    "name: a\nprompt: \"Write it. {{ a.error.message | default('') }}\"\nroutes:\n  - to: $end\n  - { on_error: internal.schema_violation, retry: 2 }",
  *check(context) {
    const { facts } = context;
    const reported = new Set<string>();
    const guardsOf = guardedNames(facts.reads.all, facts);
    for (const read of facts.reads.all) {
      const { site, path, guarded, needsRoot, tested } = read;
      const reader = site.node;
      if (reader === null || site.afterwards || !isEvaluated(read, context)) continue;
      if (tested || (guarded && !needsRoot)) continue;
      const named = resolveNode(read, facts);
      if (named?.name !== reader || isImplied(reader, guardsOf(site), facts)) continue;
      const key = `${dotted(site.path)} ${named.part ?? ""}`;
      if (reported.has(key)) continue;
      reported.add(key);
      const guard = `{% if ${dotted([reader, ...(named.part === undefined ? [] : [named.part])])} is defined %}`;
      yield context.inText(
        read,
        `${code(dotted(path))} is what ${code(reader)} itself gave before, and is not there the first time that it runs. Guard it with ${code(guard)}${site.role === "input" ? " and a `?` here" : ""}.`,
        { suggestions: [guard] },
      );
    }
  },
});
