// unknown-name: a single word in a template that nothing in scope is called. A warning, because Conductor's files hold
// such words and load all the same; the step that renders one fails.

import { unresolved } from "./reads.ts";
import { defineRule } from "./rule.ts";

export const unknownName = defineRule({
  name: "unknown-name",
  severity: "warning",
  description:
    "A single word in a template is a name in scope. Inputs are read as `workflow.input.<name>`, steps as `<step>.output`.",
  example: 'input: { topic: { type: string } }\n…\nprompt: "Write about {{ topic }}"',
  *check(context) {
    for (const read of context.facts.reads.all) {
      if (read.guarded) continue;
      const complaint = unresolved(read, context);
      if (!complaint?.lone) continue;
      yield context.inText(read, `${complaint.message} The template fails when it is rendered.`, {
        suggestions: complaint.suggestions,
      });
    }
  },
});
