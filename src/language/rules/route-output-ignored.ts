import { END } from "../analysis/routes.ts";
import { eachRoute } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

export const routeOutputIgnored = defineRule({
  name: "route-output-ignored",
  severity: "warning",
  description: "`output` on a route counts only when the route leads to `$end`.",
  example: "routes:\n  - { to: publish, output: { done: true } }",
  *check(context) {
    for (const { route, path, node } of eachRoute(context))
      if (route.output !== undefined && route.to !== undefined && route.to !== END)
        yield context.finding(
          [...path, "output"],
          `This \`output\` is ignored: it is laid over the workflow's output, and the route leads to ${code(route.to)}, not to \`$end\`. Put it on the route that ends the workflow, or use a \`set\` step.`,
          { at: "key", node: node?.name },
        );
  },
});
