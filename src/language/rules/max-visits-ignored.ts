import { writtenAt } from "../loaded.ts";
import { defineRule } from "./rule.ts";

const LIMITS = ["workflow", "limits"];

export const maxVisitsIgnored = defineRule({
  name: "max-visits-ignored",
  severity: "warning",
  description: "Where `limits.max_iterations` is written, it alone holds: `limits.max_visits` has no effect beside it.",
  example: "limits: { max_iterations: 200, max_visits: 5 }",
  *check(context) {
    const { raw } = context.workflow;
    if (["max_iterations", "max_visits"].some((name) => writtenAt(raw, [...LIMITS, name]) === undefined)) return;
    yield context.finding(
      [...LIMITS, "max_visits"],
      "`max_visits` has no effect beside `max_iterations`, which alone holds where it is written. Remove one of the two.",
      { at: "key" },
    );
  },
});
