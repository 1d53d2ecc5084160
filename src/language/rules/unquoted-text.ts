import type { Finding, NodePath } from "../loaded.ts";
import { writtenAt } from "../loaded.ts";
import { callsOf } from "./parts-of-file.ts";
import { code, defineRule, type RuleContext, scalarText } from "./rule.ts";

export const unquotedText = defineRule({
  name: "unquoted-text",
  severity: "warning",
  description:
    "A number that `input_mapping` gives to a string input, or that stands in `value`, `values`, `query`, `body` or `output`, is in quotes, unless it prints as it is written: `1.10` without quotes is the number 1.1.",
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
    for (const { path, node } of placesOfData(context)) yield* changedNumbers(context, path, node);
  },
});

/** Where a file gives data as it is: what a step sets or sends, and what the workflow gives. */
function* placesOfData({ facts }: RuleContext): Iterable<{ readonly path: NodePath; readonly node?: string }> {
  yield { path: ["output"] };
  for (const { kind, ...node } of facts.nodes.all) {
    if (kind !== "step" || !("step" in node)) continue;
    const fields = node.step.type === "set" ? ["value", "values"] : node.step.type === "http" ? ["query", "body"] : [];
    for (const field of fields) yield { path: [...node.path, field], node: node.name };
  }
}

function* changedNumbers(context: RuleContext, path: NodePath, node?: string): Iterable<Finding> {
  const value = writtenAt(context.workflow.raw, path);
  if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value))
      yield* changedNumbers(context, [...path, Array.isArray(value) ? Number(key) : key], node);
    return;
  }
  if (typeof value !== "number") return;
  const written = scalarText(context.workflow, path, value);
  if (written === String(value) || !/^-?\d+(\.\d+)?$/.test(written)) return;
  yield context.finding(
    path,
    `${code(written)} without quotes is the number ${value}. Put it in quotes to keep it: ${code(JSON.stringify(written))}.`,
    { node, suggestions: [JSON.stringify(written)] },
  );
}
