import { resolveNode } from "../analysis/named-reads.ts";
import { shareGroup } from "./parts-of-file.ts";
import { movedChanges, placeOfChanges } from "./reads.ts";
import { code, defineRule, dotted } from "./rule.ts";

export const memberReference = defineRule({
  name: "member-reference",
  severity: "warning",
  description:
    "A step that runs as a member of a group is read through the group: `<group>.outputs.<member>`, or `<group>.outputs` for a for_each.",
  example:
    'parallel:\n  - { name: checks, agents: [lint, test], routes: [{ to: report }] }\n…\nprompt: "{{ lint.output.stdout }}"',
  *check(context) {
    const { nodes, graph, reads } = context.facts;
    for (const read of reads.all) {
      const { site, path, guarded } = read;
      const named = resolveNode(read, context.facts);
      if (guarded || !named || named.part === "error" || movedChanges(read, context)) continue;
      const { name, part, rest } = named;
      const member = nodes.get(name);
      if (member?.kind !== "step" || site.node === name || !graph.onlyMember(name)) continue;
      if (site.node !== null && (shareGroup(nodes, name, site.node) || graph.isHandler(site.node))) continue;
      const group = member.groups[0] ?? "";
      const instead =
        part === "changes" || part === "denied"
          ? dotted([...placeOfChanges(name, context.facts, part), ...rest])
          : member.inline
            ? `${group}.outputs`
            : dotted([group, "outputs", name, ...path.slice(2)]);
      yield context.inText(
        read,
        `${code(dotted(path))} is not there: ${code(name)} runs inside the group ${code(group)}, which keeps its ${part === "changes" || part === "denied" ? part : "output"}. Read ${code(instead)}.`,
        { suggestions: [instead] },
      );
    }
  },
});
