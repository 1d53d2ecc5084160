// Attempts at steps of any type, routes, errors and retries; and what limits, resilience and policies do.
import { z } from "zod";
import {
  agentChanges,
  any,
  define,
  digestOfFile,
  envelope,
  flag,
  map,
  member,
  number,
  step,
  termination,
  text,
  texts,
  tokens,
} from "./fields.ts";

/** An error of that kind, and the step that it met. */
const error = { node: text, key: text.optional(), kind: text };

export const STEP_EVENTS = {
  agent_started: define("An attempt at a step of any type began.", {
    ...step,
    iteration: number,
    working_dir: text.optional(),
    /** Of a step that had ended well in an earlier drive: why that is not reused. */
    again: z
      .enum(["definition changed", "definition or environment changed", "files changed", "inputs changed"])
      .optional(),
  }),
  agent_completed: define("A step ended well.", {
    ...step,
    elapsed: number,
    hash: text.optional(),
    /** Digest of the definition alone: how a resume tells a repaired step from one whose inputs changed. Recorded once a drive. */
    definition: text.optional(),
    output: any,
    /** Of an agent that works in a folder: what it changed there. */
    changes: agentChanges.optional(),
    output_keys: texts.optional(),
    /** Changed since its last attempt, in an earlier drive. */
    repaired: flag.optional(),
    /** Of a script that exited with another code than 0, which is no error of this step: it counts as done. */
    exit_code: number.optional(),
    ...tokens,
    ...termination,
  }),
  agent_failed: define("An attempt at a step raised.", {
    ...step,
    elapsed: number,
    error_type: text,
    message: text,
    kind: text.nullable(),
    /** How the breaker of what was called stood then, unless it was closed: what is made of the error depends on it. */
    breaker: z.enum(["open", "half_open"]).optional(),
    hash: text.optional(),
    definition: text.optional(),
    /** What the step produced before it raised. */
    output: any.optional(),
    changes: agentChanges.optional(),
    repaired: flag.optional(),
    ...tokens,
    ...termination,
  }),
  agent_cancelled: define("An attempt was stopped from outside: a sibling failed, or the run was cancelled.", {
    ...step,
    elapsed: number,
    reason: text,
  }),
  agent_reused: define("A step was not run again: its earlier outcome has the same hash.", {
    ...step,
    hash: text,
    kind: text.optional(),
    /** Of a failure: the step that its route handed it to. */
    to: text.optional(),
    from_run: text.optional(),
    /** With `from_run`: the outcome itself, since this run's journal has no other record of it. */
    output: any.optional(),
    changes: agentChanges.optional(),
    /** With `from_run`: the files that the step named there, as they were. */
    files: z.array(digestOfFile).optional(),
    /** Files that the step runs or names and that have changed since its last attempt. */
    changed_files: texts.optional(),
  }),
} as const;

/** Routes that were taken, errors that met them, and retries. */
export const ROUTE_EVENTS = {
  route_taken: define("A step led to the next.", {
    from_agent: text,
    to_agent: text,
    /** Index in the routes table, and its line; null when the step has no routes. */
    route: z.object({ index: number, line: number.optional() }).nullable(),
    error: flag.optional(),
    /** Of a gate's own route: the place of the chosen option in its list. Several options may lead to the same step. */
    option: number.optional(),
  }),
  error_raised: define("An envelope was raised.", { node: text, key: text.optional(), error: envelope }),
  error_routed: define("A route took an envelope.", {
    ...error,
    route: z.object({ index: number, line: number.optional(), table: z.enum(["step", "workflow", "resilience"]) }),
    action: z.enum(["to", "retry", "halt", "propagate", "escalate", "dead_letter"]),
    to: text.optional(),
    ...member,
    /** Every route that was read, and why it matched or did not. */
    considered: z.array(map).optional(),
  }),
  error_unhandled: define("No route took an envelope.", { ...error, considered: z.array(map), ...member }),
  error_recovered: define("An error was handled.", { ...error, by: text, error: envelope, ...member }),
  retry_scheduled: define("A step will run again.", {
    node: text,
    key: text,
    kind: text,
    attempt: number,
    nth: number.optional(),
    max: number.optional(),
    delay_seconds: number,
    until: text,
    until_reset: z.literal(true).optional(),
    limit: text.optional(),
    route: number,
    via: text.optional(),
    by: z.enum(["route", "resilience"]).optional(),
    ...member,
  }),
  retry_awaited: define("A resume waits for what is left of the time before a retry.", {
    node: text,
    key: text,
    attempt: number,
    nth: number.optional(),
    max: number.optional(),
    remaining_seconds: number,
    until: text,
    until_reset: z.literal(true).optional(),
    ...member,
  }),
} as const;

export const GUARD_EVENTS = {
  iteration_limit_reached: define("The run used up `max_iterations`, or a step its `max_visits`.", {
    current_iteration: number,
    /** Absent if it was `max_visits`. */
    max_iterations: number.optional(),
    max_visits: number.optional(),
    /** Of the step that would be the next. */
    visits: number.optional(),
    agent_name: text,
    agent_history: texts,
    /** The steps that the run went round in, and how often each ran. */
    loop: z.array(z.object({ node: text, ran: number })).optional(),
  }),
  iteration_limit_resolved: define("A person allowed more.", {
    additional_iterations: number,
    /** Absent if it was `max_iterations`. */
    limit: z.literal("max_visits").optional(),
  }),
  budget_exceeded: define("The run spent more than `budget_usd`.", {
    budget_usd: number,
    spent_usd: number,
    budget_mode: text,
    agent_name: text,
  }),

  error_escalated: define("An error was handed to a person or a service.", {
    ...error,
    by: text,
    ...member,
    /** It did not get through; `escalation_failed` says why. */
    failed: flag.optional(),
  }),
  escalation_failed: define("An escalation did not get through.", { ...error, message: text, ...member }),
  dead_lettered: define("A failed step or item was kept for a later try.", { ...error, letter: text, ...member }),
  dead_letter_resolved: define("A letter's step or item succeeded.", {
    node: text,
    kind: text,
    letter: text,
    ...member,
  }),
  circuit_opened: define("A breaker opened.", { breaker: text, failures: number, retry_after_seconds: number }),
  circuit_half_opened: define("A breaker lets probes through.", { breaker: text, failures: number }),
  circuit_closed: define("A breaker closed.", { breaker: text, failures: number }),
  circuit_awaited: define("A call waits until its breaker lets it through.", {
    node: text,
    key: text,
    breaker: text,
    /** When the wait began, also in an earlier drive, and when it ends at the latest. */
    since: text,
    until: text,
    /** The attempt had begun before the call: it is one of several. */
    in_attempt: flag.optional(),
    ...member,
  }),
  circuit_passed: define("A call that waited for its breaker was let through.", {
    node: text,
    key: text,
    breaker: text,
    waited_seconds: number,
    ...member,
  }),
  policy_evaluated: define("Policies were asked before a step.", {
    node: text,
    /** Of the attempt; absent in runs of 0.3, whose verdicts cannot be played again. */
    key: text.optional(),
    attempt: number.optional(),
    allowed: flag,
    /** Of each policy, with the `module` or the plugin's `policy` that the file names. */
    verdicts: z.array(map),
    ...member,
  }),
} as const;
