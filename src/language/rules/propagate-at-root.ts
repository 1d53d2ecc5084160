import { isErrorRoute } from "../analysis/routes.ts";
import { eachRoute } from "./parts-of-file.ts";
import { defineRule } from "./rule.ts";

export const propagateAtRoot = defineRule({
  name: "propagate-at-root",
  severity: "warning",
  description:
    "`propagate: true` raises an error to the calling workflow. The root has none: there the error is unhandled, like any that no route takes. For a file that is only ever called, use `validate --as-child`.",
  example: "routes:\n  - to: $end\n  - { on_error: true, propagate: true }",
  *check(context) {
    if (context.asChild || context.parent) return;
    for (const placed of eachRoute(context)) {
      const { route, node } = placed;
      // A member's error goes to its group, which is a parent too.
      const isMember = node?.kind === "step" && node.groups.length > 0;
      if (route.propagate !== true || !isErrorRoute(route) || isMember) continue;
      yield context.about(
        placed,
        [],
        "`propagate` raises the error to the workflow that calls this one. When this file is run by itself nothing calls it, and the error is unhandled, as without this route: exit code 3, and the run can be resumed. To handle it use `to` a step; if only other workflows call this file, validate it with `--as-child`.",
      );
    }
  },
});
