// expression-syntax: a `when` without braces is an expression, and has to parse as one.
import { defineRule } from "./rule.ts";

export const expressionSyntax = defineRule({
  name: "expression-syntax",
  severity: "error",
  description:
    "A `when` without `{{ }}` is an expression: comparisons, `and`, `or`, `not`, `in`, arithmetic, over names and literals.",
  example: 'when: "exit_code =="',
  *check(context) {
    for (const { site, message, line, column, inExpression } of context.facts.reads.problems)
      if (inExpression)
        yield context.finding(site.path, `This condition does not parse: ${message}`, {
          node: site.node,
          line,
          column,
        });
  },
});
