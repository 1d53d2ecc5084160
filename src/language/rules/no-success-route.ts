import { isErrorRoute, isSuccessRoute } from "../analysis/routes.ts";
import { code, defineRule } from "./rule.ts";

export const noSuccessRoute = defineRule({
  name: "no-success-route",
  severity: "error",
  description:
    "A step with error routes also says where to go when it succeeds; `$end` must be written, since it could be meant or forgotten.",
  example: "routes:\n  - { on_error: true, to: recover }",
  *check(context) {
    const { nodes, graph } = context.facts;
    for (const node of nodes.all) {
      if (!node.routes.some(isErrorRoute) || node.routes.some(isSuccessRoute)) continue;
      if (node.kind === "step") {
        // A member's success goes to its group, and so does that of a step that only stands in for one.
        if (node.groups.length > 0 || graph.onlyStandsIn(node.name)) continue;
        if (node.step.type === "human_gate" && node.step.options.every((option) => option.route !== undefined))
          continue;
      }
      yield context.about(
        node,
        [],
        `${code(node.name)} has error routes but no success route, so nothing says where to go when it succeeds. Add a route without \`on_error\`, such as \`- to: $end\`.`,
        { suggestions: ["- to: $end"] },
      );
    }
  },
});
