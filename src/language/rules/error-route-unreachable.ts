import { catchesEverything, isErrorRoute } from "../analysis/routes.ts";
import { shadowedRoutes } from "./parts-of-file.ts";
import { defineRule } from "./rule.ts";

export const errorRouteUnreachable = defineRule({
  name: "error-route-unreachable",
  severity: "error",
  description:
    "Error routes are read from top to bottom: nothing below a catch-all without `when` is ever read, unless the catch-all is a `retry`.",
  example: "routes:\n  - to: $end\n  - { on_error: true, to: handler }\n  - { on_error: a.b, to: other }",
  *check(context) {
    for (const { placed, line } of shadowedRoutes(context, isErrorRoute, catchesEverything))
      yield context.about(
        placed,
        [],
        `This route is never read: the one at line ${line} takes every error before it. Move this route above it, or give that one a \`when\`.`,
      );
  },
});
