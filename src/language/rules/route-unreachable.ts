import { hasCondition, isSuccessRoute } from "../analysis/routes.ts";
import { shadowedRoutes } from "./parts-of-file.ts";
import { defineRule } from "./rule.ts";

export const routeUnreachable = defineRule({
  name: "route-unreachable",
  severity: "warning",
  description: "Success routes are read from top to bottom: nothing below one without `when` is ever taken.",
  example: "routes:\n  - to: publish\n  - { to: fix, when: exit_code != 0 }",
  *check(context) {
    for (const { placed, line } of shadowedRoutes(context, isSuccessRoute, (route) => !hasCondition(route)))
      if (placed.node)
        yield context.about(
          placed,
          [],
          `This route is never taken: the one at line ${line} has no \`when\` and matches first. Move this route above it, or give that one a \`when\`.`,
        );
  },
});
