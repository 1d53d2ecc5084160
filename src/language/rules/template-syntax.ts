// template-syntax: a template that does not parse would fail the step that holds it.
import { defineRule } from "./rule.ts";

export const templateSyntax = defineRule({
  name: "template-syntax",
  severity: "error",
  description: "Every template parses, in whichever field it stands, before anything runs.",
  example: 'value: "{{ 1 + }}"',
  *check(context) {
    for (const { site, message, line, column, inExpression } of context.facts.reads.problems)
      if (!inExpression)
        yield context.finding(
          site.path,
          site.dialect === "reference"
            ? `${message}. Name a step's output, such as \`finder.output.topics\`, or an input, such as \`workflow.input.files\`.`
            : `This template does not parse: ${message}`,
          { node: site.node, line, column },
        );
  },
});
