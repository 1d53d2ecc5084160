import { code, defineRule } from "./rule.ts";

const RESERVED: Readonly<Record<string, string>> = {
  workflow: "it is the workflow itself, as in `workflow.input`",
  context: "it is the run's context, as in `context.iteration`",
  output: "in routes it is the step's own result",
  $end: "it is where a workflow ends",
};

export const reservedName = defineRule({
  name: "reserved-name",
  severity: "error",
  description:
    "`workflow`, `context`, `output` and `$end` mean something already and cannot be names of steps or groups.",
  example: "steps:\n  - { name: workflow, type: set, value: 1 }",
  *check(context) {
    for (const { name, path, what } of context.facts.nodes.written)
      if (Object.hasOwn(RESERVED, name))
        yield context.finding(
          [...path, "name"],
          `A ${what} cannot be called ${code(name)}: ${RESERVED[name]}, so nothing could refer to it. Choose another name.`,
          { node: name },
        );
  },
});
