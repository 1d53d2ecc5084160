// Limits, resilience and policies.
import { z } from "zod";
import { define, flag, map, member, number, text } from "./fields.ts";

export const GUARD_EVENTS = {
  iteration_limit_reached: define("The run used up `max_iterations`.", {
    current_iteration: number,
    max_iterations: number,
    agent_name: text,
    agent_history: z.array(text),
  }),
  iteration_limit_resolved: define("A person allowed more iterations.", { additional_iterations: number }),
  budget_exceeded: define("The run spent more than `budget_usd`.", {
    budget_usd: number,
    spent_usd: number,
    budget_mode: text,
    agent_name: text,
  }),

  error_escalated: define("An error was handed to a person or a service.", {
    node: text,
    key: text.optional(),
    kind: text,
    by: text,
    ...member,
    /** It did not get through; `escalation_failed` says why. */
    failed: flag.optional(),
  }),
  escalation_failed: define("An escalation did not get through.", {
    node: text,
    key: text.optional(),
    kind: text,
    message: text,
    ...member,
    ...member,
  }),
  dead_lettered: define("A failed step or item was kept for a later try.", {
    node: text,
    key: text.optional(),
    kind: text,
    letter: text,
    ...member,
  }),
  dead_letter_resolved: define("A letter's step or item succeeded.", {
    node: text,
    kind: text,
    letter: text,
    ...member,
  }),
  circuit_opened: define("A breaker opened.", { breaker: text, failures: number, retry_after_seconds: number }),
  circuit_half_opened: define("A breaker lets probes through.", { breaker: text, failures: number }),
  circuit_closed: define("A breaker closed.", { breaker: text, failures: number }),
  policy_evaluated: define("Policies were asked before a step.", {
    node: text,
    allowed: flag,
    verdicts: z.array(map),
    ...member,
  }),
} as const;
