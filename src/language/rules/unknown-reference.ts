import { severityAt } from "../analysis/sites.ts";
import { unresolvedReads } from "./reads.ts";
import { defineRule } from "./rule.ts";

export const unknownReference = defineRule({
  name: "unknown-reference",
  severity: "error",
  mayWarn: true,
  description:
    "Templates, conditions and `input` name steps, groups and inputs that exist. A file without `workflow.input` takes any input, so its inputs are not checked.",
  example: 'prompt: "{{ planr.output.steps }}"',
  *check(context) {
    for (const { read, message, suggestions, lone } of unresolvedReads(context))
      if (!lone) yield context.inText(read, message, { suggestions, severity: severityAt(read.site) });
  },
});
