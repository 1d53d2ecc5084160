import { isSuccessRoute } from "../analysis/routes.ts";
import type { Route } from "../schema/index.ts";
import { eachRoute } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

/** A resume would not run a step again that succeeded, so a halt after it cannot be resumable. */
function actsOnError({ retry, propagate, halt }: Route): string | undefined {
  if (retry !== undefined) return "retry";
  if (propagate === true) return "propagate";
  return halt?.resumable ? "resumable" : undefined;
}

export const routeActionOnSuccess = defineRule({
  name: "route-action-on-success",
  severity: "error",
  description:
    "`retry`, `propagate` and `halt` with `resumable` act on an error, so they need `on_error`: a route without it is read on success.",
  example: "routes:\n  - retry: { max: 2 }\n  - to: other",
  *check(context) {
    for (const placed of eachRoute(context)) {
      const { route, node } = placed;
      if (!node || !isSuccessRoute(route)) continue;
      const action = actsOnError(route);
      if (action)
        yield context.about(
          placed,
          [],
          `${code(action)} acts on an error, but this route has no \`on_error\`, so it is read when ${code(node.name)} succeeded. Add \`on_error\` with the kinds it is for, or \`on_error: true\` for all of them.`,
        );
    }
  },
});
