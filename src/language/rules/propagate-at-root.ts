// propagate-at-root: there is no parent above the root workflow to raise an error to.
import { isErrorRoute } from "../analysis/routes.ts";
import { eachRoute } from "./each-route.ts";
import { defineRule } from "./rule.ts";

export const propagateAtRoot = defineRule({
  name: "propagate-at-root",
  severity: "error",
  description:
    "`propagate: true` raises an error to the calling workflow, and the root has none. For a file that is only ever called, use `validate --as-child`.",
  example: "routes:\n  - to: $end\n  - { on_error: true, propagate: true }",
  *check(context) {
    if (context.asChild || context.parent) return;
    for (const { route, path, node } of eachRoute(context)) {
      // A member's error goes to its group, which is a parent too.
      const isMember = node?.kind === "step" && node.groups.length > 0;
      if (route.propagate !== true || !isErrorRoute(route) || isMember) continue;
      yield context.finding(
        path,
        "`propagate` raises the error to the workflow that called this one, and nothing calls the root. Use `to` a step that handles it, `halt` to end the run on purpose, or leave the route out: unhandled errors end the run and can be resumed. If other workflows call this file, validate it with `--as-child`.",
        { node: node?.name },
      );
    }
  },
});
