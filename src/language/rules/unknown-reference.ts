// unknown-reference: a template names a step, an input or a part of a step that cannot exist.

import { unresolved } from "./reads.ts";
import { defineRule } from "./rule.ts";

export const unknownReference = defineRule({
  name: "unknown-reference",
  severity: "error",
  description:
    "Templates, conditions and `input` name steps, groups and inputs that exist. A file without `workflow.input` takes any input, so its inputs are not checked.",
  example: 'prompt: "{{ planr.output.steps }}"',
  *check(context) {
    for (const read of context.facts.reads.all) {
      if (read.guarded) continue;
      const complaint = unresolved(read, context);
      if (!complaint || complaint.lone) continue;
      const { site, line, column } = read;
      yield context.finding(site.path, complaint.message, {
        node: site.node,
        line,
        column,
        suggestions: complaint.suggestions,
      });
    }
  },
});
