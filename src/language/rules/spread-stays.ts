import { affinityOf } from "../schema/section-defaults.ts";
import { code, defineRule } from "./rule.ts";

export const spreadStays = defineRule({
  name: "spread-stays",
  severity: "warning",
  description:
    "A `for_each` with `spread` is in a file without script steps, or with `runtime.affinity: any`. Otherwise its items stay with the worker of the run.",
  example:
    "for_each:\n  - { name: all, type: for_each, spread: true }   # and the file has scripts, which may share files",
  *check(context) {
    const { definition } = context.workflow;
    if (affinityOf(definition) === "any") return;
    const why =
      definition.workflow.runtime.affinity === "worker"
        ? "`runtime.affinity` is `worker`"
        : "the file has script steps, which may share local files";
    for (const node of context.facts.nodes.all) {
      if (node.kind !== "group" || node.type !== "for_each" || !node.group.spread) continue;
      yield context.about(
        node,
        ["spread"],
        `the items of ${code(node.name)} stay with the worker of the run, although it says \`spread\`: ${why}. Say \`runtime: { affinity: any }\` if each item finds what it needs on every worker, or leave \`spread\` out.`,
      );
    }
  },
});
