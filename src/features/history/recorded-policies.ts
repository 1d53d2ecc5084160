// The policies of a past run: whoever looks at more than the run is not asked again, and says what was recorded.
import type { PolicyAnswers } from "../../engine/contract.ts";
import { AgentAvailability } from "../../engine/guard/resilience/policies.ts";
import { type AttemptContext, denied, type Policy, type PolicyResult } from "../../engine/guard/resilience/policy.ts";
import type { QuestionDigests } from "../scenarios/question.ts";

/** A policy's verdict on an attempt. */
export interface AskedPolicy {
  readonly key: string;
  readonly number: number;
  /** As the file names it: its module, or its own name. */
  readonly policy: string;
  /** Digest of the policy and of what is about to be done. */
  readonly question: string;
}

export interface GivenVerdict extends AskedPolicy {
  readonly verdict: PolicyResult;
}

/** Policies whose verdict does not come of the run alone: somebody's code, and what looks at other runs. */
export function recordedPolicies({ answers, questions, given, missing }: RecordedPolicies): PolicyAnswers {
  return {
    policyFrom({ module, policy, agent_availability }) {
      const name = module ?? policy ?? (agent_availability ? AVAILABILITY.name : undefined);
      if (name === undefined) return undefined;
      return {
        name,
        description: "A policy as it was recorded.",
        evaluate(attempt: AttemptContext) {
          const { step, task } = attempt;
          const asked = {
            key: task.key,
            number: task.attempt,
            policy: name,
            question: questions.policy(name, attempt),
          };
          const verdict = answers.verdict(asked) ?? (agent_availability ? AVAILABILITY.evaluate(attempt) : undefined);
          if (verdict) given.push({ ...asked, verdict });
          else missing({ node: step.name, path: step.path, key: task.key, policy: name });
          return verdict ?? denied(name, "its verdict was not recorded");
        },
      } satisfies Policy;
    },
  };
}

interface RecordedPolicies {
  readonly answers: { verdict(asked: AskedPolicy): PolicyResult | undefined };
  readonly questions: Pick<QuestionDigests, "policy">;
  readonly given: GivenVerdict[];
  /** The verdict was never recorded: the run ends there. */
  missing(
    asked: Pick<AskedPolicy, "key" | "policy"> & { readonly node: string; readonly path: readonly string[] },
  ): void;
}

const AVAILABILITY = new AgentAvailability();
