import { writtenAt } from "../loaded.ts";
import { eachRoute } from "./parts-of-file.ts";
import { defineRule } from "./rule.ts";

export const onErrorEmpty = defineRule({
  name: "on-error-empty",
  severity: "warning",
  description:
    "`on_error:` with nothing behind it makes a success route, as in Conductor. Say which errors it is for, or leave the key out.",
  example: "routes:\n  - { on_error: , to: handler }",
  *check(context) {
    for (const { route, path, node } of eachRoute(context)) {
      // In `error_routes` there are no success routes; another rule refuses it there.
      if (!node || route.on_error !== undefined || writtenAt(context.workflow.raw, [...path, "on_error"]) !== null)
        continue;
      yield context.finding(
        [...path, "on_error"],
        "`on_error` is empty, so this is a success route: it is read when the step succeeded. For every error say `on_error: true`, for some name their kinds; for a success route leave `on_error` out.",
        { node: node.name, at: "key", suggestions: ["on_error: true"] },
      );
    }
  },
});
