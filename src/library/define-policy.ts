// Own policies: what must hold before a step may run.
import type { Policy, PolicyContext, PolicyResult } from "../engine/guard/resilience/policy.ts";
import { checkPolicySpec } from "./wrong-call.ts";

/** `true` allows, a text denies with that reason; or the whole verdict. */
export type PolicyVerdict = boolean | string | Omit<PolicyResult, "policyName">;

export interface PolicySpec {
  readonly name: string;
  readonly description?: string;
  evaluate(context: PolicyContext): PolicyVerdict | Promise<PolicyVerdict>;
}

/**
 * Defines a policy, for a `PolicyEngine` or as the default export of a module that a file names with
 * `policies: [{ module: ./policies/weekdays.mjs }]`. What it throws is a denial.
 *
 * @example
 * const shortSteps = definePolicy({
 *   name: "short_steps",
 *   evaluate: ({ step }) => (step?.timeout ?? 0) <= 600 || "a step may take ten minutes at most",
 * });
 * await new PolicyEngine([shortSteps]).check({ step: { name: "build", type: "script", timeout: 60 } });
 */
export function definePolicy(spec: PolicySpec): Policy {
  checkPolicySpec(spec);
  const { name, description = "" } = spec;
  return {
    name,
    description,
    async evaluate(context) {
      const verdict = await spec.evaluate(context);
      if (typeof verdict === "string") return { allowed: false, policyName: name, reason: verdict };
      if (typeof verdict === "boolean") return { allowed: verdict, policyName: name };
      return { ...verdict, policyName: name };
    },
  };
}
