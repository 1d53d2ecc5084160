// unquoted-text: what is text for a called workflow is in quotes where YAML would read a number that is written otherwise.
import { scalarText } from "./as-written.ts";
import { callsOf } from "./calls.ts";
import { defineRule } from "./rule.ts";
import { code } from "./wording.ts";

export const unquotedText = defineRule({
  name: "unquoted-text",
  severity: "warning",
  description:
    "A number that `input_mapping` gives to a string input is in quotes, unless it prints as it is written: `1.10` without quotes is the number 1.1.",
  example:
    "type: workflow\nworkflow: ./release.yaml       # takes the string version\ninput_mapping: { version: 1.10 }",
  *check(context) {
    for (const { node, step, child } of callsOf(context.workflow)) {
      const inputs = child.definition.workflow.input ?? {};
      for (const [name, value] of Object.entries(step.input_mapping ?? {})) {
        if (typeof value !== "number" || !Object.hasOwn(inputs, name) || inputs[name]?.type !== "string") continue;
        const path = [...node.path, "input_mapping", name];
        const written = scalarText(context.workflow, path, value);
        if (written === String(value)) continue;
        yield context.finding(
          path,
          `${code(name)} is text for ${code(child.definition.workflow.name)}, and ${code(written)} without quotes is the number ${value}. Put it in quotes to keep it: ${code(JSON.stringify(written))}.`,
          { node: node.name, suggestions: [JSON.stringify(written)] },
        );
      }
    }
  },
});
