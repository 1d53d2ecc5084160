// route-unreachable: below a success route without `when`, no success route is ever read.
import { hasCondition, isSuccessRoute } from "../analysis/routes.ts";
import { routeLists } from "./parts-of-file.ts";
import { defineRule } from "./rule.ts";

export const routeUnreachable = defineRule({
  name: "route-unreachable",
  severity: "warning",
  description: "Success routes are read from top to bottom: nothing below one without `when` is ever taken.",
  example: "routes:\n  - to: publish\n  - { to: fix, when: exit_code != 0 }",
  *check(context) {
    for (const { node, routes } of routeLists(context)) {
      if (!node) continue;
      const successes = routes.filter(({ route }) => isSuccessRoute(route));
      const always = successes.findIndex(({ route }) => !hasCondition(route));
      const taker = successes[always];
      if (!taker) continue;
      const line = context.workflow.positions.at(taker.path).line;
      for (const { path } of successes.slice(always + 1))
        yield context.finding(
          path,
          `This route is never taken: the one at line ${line} has no \`when\` and matches first. Move this route above it, or give that one a \`when\`.`,
          { node: node.name },
        );
    }
  },
});
