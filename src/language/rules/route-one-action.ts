import { actionsOf } from "../analysis/routes.ts";
import { eachRoute, isStoodIn } from "./parts-of-file.ts";
import { defineRule, listed } from "./rule.ts";

export const routeOneAction = defineRule({
  name: "route-one-action",
  severity: "error",
  description:
    "A route has exactly one action: `to`, `retry`, `halt` or `propagate`. `retry` with `to` is the one pair that means something.",
  example: "routes:\n  - { on_error: a.b, to: other, halt: { message: stop } }",
  *check(context) {
    for (const placed of eachRoute(context)) {
      const actions = actionsOf(placed.route);
      const pair = actions.length === 2 && actions.includes("retry") && actions.includes("to");
      // An action whose value was refused is not in the definition; that it is wrong was said already.
      if (actions.length === 1 || pair || (actions.length === 0 && isStoodIn(context.workflow, placed.path))) continue;
      yield context.about(
        placed,
        [],
        actions.length === 0
          ? "This route has no action, so nothing would happen when it matches. Add one of `to`, `retry`, `halt` or `propagate`."
          : `This route has ${listed(actions, "and")}, and only one of them can be done. Keep one; to act differently by condition, write two routes with a \`when\` each.`,
      );
    }
  },
});
