// The verdicts of policies in a run that a scenario answers for. No code of a policy runs but before steps that are live.
import { attemptNames } from "../../base/events/asker-name.ts";
import type { PolicyAnswers } from "../../engine/contract.ts";
import { type AttemptContext, allowed, denied, type Policy } from "../../engine/guard/resilience/policy.ts";
import type { ScenarioFile, ScriptedVerdict } from "./schema.ts";
import { isLiveStep } from "./world.ts";

/** `before`: keys of attempts that policies were asked about in earlier drives. */
export function scriptedPolicies(scenario: ScenarioFile, before: readonly string[] = []): PolicyAnswers {
  const asked = new Map<string, number>();
  const next = (key: string): ScriptedVerdict | undefined => {
    const name = longestScripted(attemptNames(key), scenario.policies);
    if (name === undefined) return undefined;
    const given = scenario.policies[name];
    const count = asked.get(name) ?? 0;
    asked.set(name, count + 1);
    return Array.isArray(given) ? given[count] : given;
  };
  for (const key of before) next(key);
  return {
    verdictOn({ task: { key } }) {
      const given = next(key);
      if (!given) return undefined;
      const { allowed: isAllowed, policy = "scenario", reason, metadata } = given;
      return isAllowed ? allowed(policy, metadata) : denied(policy, reason ?? "the scenario says so", metadata);
    },
    policyFrom(entry, real) {
      const name = entry.module ?? entry.policy;
      if (name === undefined) return undefined;
      return {
        name,
        description: "A policy whose code a scenario does not run.",
        evaluate: (attempt: AttemptContext) =>
          isLiveStep(scenario, attempt.step) ? real().evaluate(attempt) : allowed(name),
      } satisfies Policy;
    },
  };
}

/** The longest name goes before: that of an item or of a child's step before the plain step's. */
export const longestScripted = (
  names: readonly string[],
  scripted: Readonly<Record<string, unknown>>,
): string | undefined => names.filter((name) => Object.hasOwn(scripted, name)).sort((a, b) => b.length - a.length)[0];
