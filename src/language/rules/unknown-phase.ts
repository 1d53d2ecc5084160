import { isStoodIn } from "./parts-of-file.ts";
import { closest, code, defineRule, didYouMean, listed } from "./rule.ts";

export const unknownPhase = defineRule({
  name: "unknown-phase",
  severity: "warning",
  description: "The `phase` of a step is listed in `workflow.phases`, whose order the `phase_gate` policy follows.",
  example: "phases: [build, ship]\n…\n  - { name: a, type: set, value: 1, phase: bild }",
  *check(context) {
    // Some of them are not known then.
    if (isStoodIn(context.workflow, ["workflow", "phases"])) return;
    const phases = context.workflow.definition.workflow.phases ?? [];
    for (const node of context.facts.nodes.all) {
      if (node.kind !== "step") continue;
      const { phase } = node.step;
      if (phase === undefined || phases.includes(phase)) continue;
      const suggestions = closest(phase, phases);
      yield context.about(
        node,
        ["phase"],
        `${code(phase)} is not one of the workflow's phases, so no policy takes notice of it.${didYouMean(suggestions)} ${phases.length > 0 ? `The phases are ${listed(phases, "and")}.` : "List the phases, in order, under `workflow.phases`."}`,
        { suggestions },
      );
    }
  },
});
