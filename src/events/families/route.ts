// Routes that were taken, errors that met them, and retries.
import { z } from "zod";
import { define, envelope, flag, map, member, number, text } from "./fields.ts";

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
    node: text,
    key: text.optional(),
    kind: text,
    route: z.object({ index: number, line: number.optional(), table: z.enum(["step", "workflow", "resilience"]) }),
    action: z.enum(["to", "retry", "halt", "propagate", "escalate", "dead_letter"]),
    to: text.optional(),
    ...member,
    /** Every route that was read, and why it matched or did not. */
    considered: z.array(map).optional(),
  }),
  error_unhandled: define("No route took an envelope.", {
    node: text,
    key: text.optional(),
    kind: text,
    considered: z.array(map),
    ...member,
  }),
  error_recovered: define("An error was handled.", {
    node: text,
    key: text.optional(),
    kind: text,
    by: text,
    error: envelope,
    ...member,
  }),
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
