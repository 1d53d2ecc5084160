import { defineRule } from "./rule.ts";

export const expressionSyntax = defineRule({
  name: "expression-syntax",
  severity: "error",
  description:
    "A `when` without `{{ }}` is an expression: comparisons, `and`, `or`, `not`, `in`, arithmetic, over names and literals.",
  example: 'when: "exit_code =="',
  *check(context) {
    for (const problem of context.facts.reads.problems)
      if (problem.inExpression) yield context.inText(problem, `This condition does not parse: ${problem.message}`);
  },
});
