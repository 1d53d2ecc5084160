import { severityAt } from "../analysis/sites.ts";
import { defineRule } from "./rule.ts";

export const templateSyntax = defineRule({
  name: "template-syntax",
  severity: "error",
  mayWarn: true,
  description: "Every template parses, in whichever field it stands, before anything runs.",
  example: 'value: "{{ 1 + }}"',
  *check(context) {
    for (const problem of context.facts.reads.problems)
      if (!problem.inExpression)
        yield context.inText(
          problem,
          problem.site.dialect === "reference"
            ? `${problem.message}. Name a step's output, such as \`finder.output.topics\`, or an input, such as \`workflow.input.files\`.`
            : `This template does not parse: ${problem.message}`,
          { severity: severityAt(problem.site) },
        );
  },
});
