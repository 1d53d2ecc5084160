import { callsOf } from "./parts-of-file.ts";
import { closest, code, defineRule, didYouMean, listed } from "./rule.ts";

export const subworkflowUnknownInput = defineRule({
  name: "subworkflow-unknown-input",
  severity: "warning",
  description: "`input_mapping` names inputs that the called workflow declares; others are dropped.",
  example: "type: workflow\nworkflow: ./review.yaml        # has the input diff\ninput_mapping: { dif: … }",
  *check(context) {
    for (const { node, step, child } of callsOf(context.workflow)) {
      const inputs = child.definition.workflow.input;
      if (!inputs) continue;
      const known = Object.keys(inputs);
      for (const name of Object.keys(step.input_mapping ?? {})) {
        if (Object.hasOwn(inputs, name)) continue;
        const suggestions = closest(name, known);
        yield context.about(
          node,
          ["input_mapping", name],
          `${code(child.definition.workflow.name)} has no input ${code(name)}, so this value is dropped.${didYouMean(suggestions)} ${known.length > 0 ? `Its inputs are ${listed(known, "and")}.` : "It has no inputs."}`,
          { at: "key", suggestions },
        );
      }
    }
  },
});
