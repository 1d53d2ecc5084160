// unknown-name: a single word in a template that nothing in scope is called. A warning, because Conductor's files hold
// such words and load all the same; the step that renders one fails.

import { unresolvedReads } from "./reads.ts";
import { defineRule } from "./rule.ts";

export const unknownName = defineRule({
  name: "unknown-name",
  severity: "warning",
  description:
    "A single word in a template is a name in scope. Inputs are read as `workflow.input.<name>`, steps as `<step>.output`.",
  example: 'input: { topic: { type: string } }\n…\nprompt: "Write about {{ topic }}"',
  *check(context) {
    for (const { read, message, suggestions, lone } of unresolvedReads(context))
      if (lone) yield context.inText(read, `${message} The template fails when it is rendered.`, { suggestions });
  },
});
