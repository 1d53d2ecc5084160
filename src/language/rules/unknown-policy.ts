import { closest, code, defineRule, didYouMean, listed } from "./rule.ts";

export const unknownPolicy = defineRule({
  name: "unknown-policy",
  severity: "error",
  description: "`policy` names a policy that a plugin of the project brings: a run would deny every step otherwise.",
  example: "policies: [{ policy: weekdays }]",
  *check(context) {
    for (const [index, { policy }] of context.workflow.definition.workflow.policies.entries()) {
      if (policy === undefined || context.policies.includes(policy)) continue;
      const suggestions = closest(policy, context.policies);
      const known =
        context.policies.length > 0
          ? `The plugins bring ${listed(context.policies, "and")}.`
          : (context.missingPlugins ??
            "No plugin brings one: list the file that defines it under `plugins` of segno.yaml, or name a module with `module`.");
      yield context.finding(
        ["workflow", "policies", index, "policy"],
        `There is no policy ${code(policy)}.${didYouMean(suggestions)} ${known}`,
        { suggestions },
      );
    }
  },
});
