// Policies that plugins bring: asked in this process, and held to the same time limit as modules.
import { denied, type Policy, type PolicyResult } from "../../engine/guard/resilience/policy.ts";
import type { Extensions } from "../extensions.ts";

const LIMIT_MS = 5000;

export function ownPolicy(name: string, policies: Extensions["policies"] = {}): Policy {
  const policy = Object.hasOwn(policies, name) ? policies[name] : undefined;
  if (!policy)
    return {
      name,
      description: "A policy that no plugin brings.",
      evaluate: () => denied(name, `there is no policy ${name}: no plugin of the project brings one of that name`),
    };
  return {
    name,
    description: policy.description,
    evaluate: (context) => within(name, Promise.resolve(policy.evaluate(context))),
  };
}

async function within(name: string, verdict: Promise<PolicyResult>): Promise<PolicyResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<PolicyResult>((resolve) => {
    timer = setTimeout(() => resolve(denied(name, `it did not answer within ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });
  try {
    return await Promise.race([verdict, late]);
  } finally {
    clearTimeout(timer);
  }
}
