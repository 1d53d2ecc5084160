// error-route-unreachable: below a route that takes every error, no error route is ever read.
import { catchesEverything, isErrorRoute } from "../analysis/routes.ts";
import { routeLists } from "./parts-of-file.ts";
import { defineRule } from "./rule.ts";

export const errorRouteUnreachable = defineRule({
  name: "error-route-unreachable",
  severity: "error",
  description:
    "Error routes are read from top to bottom: nothing below a catch-all without `when` is ever read, unless the catch-all is a `retry`.",
  example: "routes:\n  - to: $end\n  - { on_error: true, to: handler }\n  - { on_error: a.b, to: other }",
  *check(context) {
    for (const { node, routes } of routeLists(context)) {
      const errors = routes.filter(({ route }) => isErrorRoute(route));
      const last = errors.findIndex(({ route }) => catchesEverything(route));
      const taker = errors[last];
      if (!taker) continue;
      const line = context.workflow.positions.at(taker.path).line;
      for (const { path } of errors.slice(last + 1))
        yield context.finding(
          path,
          `This route is never read: the one at line ${line} takes every error before it. Move this route above it, or give that one a \`when\`.`,
          { node: node?.name },
        );
    }
  },
});
