import { callsOf } from "./parts-of-file.ts";
import { code, defineRule, listed } from "./rule.ts";

export const subworkflowInput = defineRule({
  name: "subworkflow-input",
  severity: "error",
  description:
    "`input_mapping` gives the called workflow every required input that has no default. Without a mapping it gets those of this workflow's inputs that it declares.",
  example: "type: workflow\nworkflow: ./review.yaml        # requires the input diff\ninput_mapping: { title: … }",
  *check(context) {
    const own = context.workflow.definition.workflow.input;
    for (const { node, step, child } of callsOf(context.workflow)) {
      const inputs = child.definition.workflow.input ?? {};
      const given = step.input_mapping ?? own;
      // Without a mapping, a file that declares no inputs passes on whatever it was given.
      if (!given) continue;
      const missing = Object.entries(inputs)
        .filter(([name, field]) => field.required && (field.default ?? null) === null && !Object.hasOwn(given, name))
        .map(([name]) => name);
      if (missing.length === 0) continue;
      const called = child.definition.workflow.name;
      yield context.about(
        node,
        [step.input_mapping ? "input_mapping" : "workflow"],
        `${code(called)} requires ${listed(missing, "and")}, and ${code(node.name)} does not give ${missing.length > 1 ? "them" : "it"}. ${
          step.input_mapping
            ? `Add ${missing.length > 1 ? "them" : "it"} to \`input_mapping\``
            : `Add an \`input_mapping\`, or declare ${missing.length > 1 ? "inputs" : "an input"} of that name in this workflow`
        }, or make ${missing.length > 1 ? "them" : "it"} optional in ${code(called)}.`,
        { at: "key", suggestions: missing.map((name) => `${name}: …`) },
      );
    }
  },
});
