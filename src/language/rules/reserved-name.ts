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
  mayWarn: true,
  description:
    "`workflow`, `context`, `output` and `$end` mean something already and cannot be names of steps or groups. In a file with `agents:` it is a warning, but for `$end`: templates cannot reach such a step.",
  example: "steps:\n  - { name: workflow, type: set, value: 1 }",
  *check(context) {
    const { allowsUnreadableNames } = context.workflow.definition.semantics;
    for (const { name, path, what } of context.facts.nodes.written)
      if (Object.hasOwn(RESERVED, name)) {
        const isAllowed = allowsUnreadableNames && name !== "$end";
        const said = isAllowed
          ? `Templates cannot reach the ${what} ${code(name)}: ${RESERVED[name]}. Choose another name if something is to read it.`
          : `A ${what} cannot be called ${code(name)}: ${RESERVED[name]}, so nothing could refer to it. Choose another name.`;
        yield context.finding([...path, "name"], said, { node: name, severity: isAllowed ? "warning" : undefined });
      }
  },
});
