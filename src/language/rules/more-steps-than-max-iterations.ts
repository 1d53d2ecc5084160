// more-steps-than-max-iterations: a file whose shortest way to an end is longer than its limit can never end well.
import { fewestExecutions, mostExecutions } from "../analysis/shortest-way.ts";
import { mostIterations } from "../schema/section-defaults.ts";
import { writtenAt } from "./as-written.ts";
import { defineRule } from "./rule.ts";
import { code } from "./wording.ts";

const LIMIT = ["workflow", "limits", "max_iterations"];

export const moreStepsThanMaxIterations = defineRule({
  name: "more-steps-than-max-iterations",
  severity: "warning",
  description:
    "The shortest way to an end fits into `limits.max_iterations`, which is 10 unless the file says otherwise. Every step counts, and each member of a parallel group.",
  example: "limits: { max_iterations: 3 }   # and four steps in a row",
  *check(context) {
    const { facts, workflow } = context;
    const max_iterations = mostIterations(workflow.definition.workflow.limits);
    if (!facts.pathsKnown || mostExecutions(facts.nodes) <= max_iterations) return;
    const needed = fewestExecutions(facts.graph.entry, facts.graph.edges, facts.nodes);
    if (needed === undefined || needed <= max_iterations) return;
    const isWritten = writtenAt(workflow.raw, LIMIT) !== undefined;
    yield context.finding(
      isWritten ? LIMIT : ["workflow"],
      `The shortest way to an end takes ${needed} steps, and \`limits.max_iterations\` is ${max_iterations}${isWritten ? "" : " when the file does not say otherwise"}, so every run would be stopped before its end. Set ${code(`limits: { max_iterations: ${needed} }`)} or more; loops and retries count too.`,
      { at: isWritten ? "value" : "key", suggestions: [`max_iterations: ${needed}`] },
    );
  },
});
