import type { LoadedWorkflow } from "../loaded.ts";
import { callsOf } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

/** Whether calls without `max_depth` lead from one file to another. */
function leadsTo(from: LoadedWorkflow, target: LoadedWorkflow): boolean {
  const seen = new Set<LoadedWorkflow>();
  const queue = [from];
  for (let workflow = queue.pop(); workflow; workflow = queue.pop()) {
    if (workflow === target) return true;
    if (seen.has(workflow)) continue;
    seen.add(workflow);
    for (const { step, child } of callsOf(workflow)) if (step.max_depth === undefined) queue.push(child);
  }
  return false;
}

export const subworkflowCycle = defineRule({
  name: "subworkflow-cycle",
  severity: "error",
  description: "A workflow that calls itself, directly or through others, has `max_depth` on one of the calling steps.",
  example: "# tree.yaml\n  - { name: below, type: workflow, workflow: ./tree.yaml }",
  *check(context) {
    const { workflow } = context;
    for (const { node, step, child } of callsOf(workflow)) {
      if (step.max_depth !== undefined || !leadsTo(child, workflow)) continue;
      const how =
        child === workflow
          ? "calls this very file again"
          : `leads back to this file through ${code(child.definition.workflow.name)}`;
      yield context.about(
        node,
        ["workflow"],
        `${code(node.name)} ${how}, and nothing says how deep that may go. Add \`max_depth\` to this step if it is meant.`,
        { suggestions: ["max_depth: 3"] },
      );
    }
  },
});
