// Groups, their members, and sub-workflows.
import { z } from "zod";
import { any, define, envelope, flag, map, member, number, outline, termination, text, texts } from "./fields.ts";

const agent = { group_name: text, agent_name: text };
const item = { group_name: text, item_key: text, index: number };
const memberEnd = { elapsed: number, recovered: flag.optional() };
const memberFailure = { elapsed: number, reused: flag.optional(), error: envelope };
const counts = { group_name: text, key: text, success_count: number, failure_count: number };
const groupEnd = { elapsed: number, output: any.optional(), failed: flag };
const child = { agent_name: text, key: text, slot: text, ...member };

export const GROUP_EVENTS = {
  parallel_started: define("A parallel group began.", {
    group_name: text,
    key: text,
    agents: texts,
    max_concurrent: number,
  }),
  parallel_agent_started: define("A member of a parallel group began.", agent),
  parallel_agent_completed: define("A member ended well.", { ...agent, ...memberEnd }),
  parallel_agent_failed: define("A member failed.", { ...agent, ...memberFailure }),
  parallel_completed: define("A parallel group ended.", { ...counts, count: number.optional(), ...groupEnd }),
  for_each_started: define("A for_each group began.", {
    group_name: text,
    key: text,
    item_count: number,
    max_concurrent: number,
    failure_mode: text,
  }),
  for_each_item_started: define("An item began.", item),
  for_each_item_completed: define("An item ended well.", { ...item, ...memberEnd }),
  for_each_item_failed: define("An item failed.", { ...item, ...memberFailure }),
  for_each_completed: define("A for_each group ended.", { ...counts, count: number, ...groupEnd }),
  group_failed: define("A group raised: its members' envelopes, in order of time.", {
    group_name: text,
    key: text,
    errors: z.array(z.object({ node: text, item_key: text.optional(), error: envelope })),
  }),

  subworkflow_started: define("A sub-workflow began.", {
    ...child,
    workflow: text,
    file: text,
    inputs: map,
    hidden_inputs: texts.optional(),
    outline,
  }),
  subworkflow_completed: define("A sub-workflow ended well.", {
    ...child,
    elapsed: number,
    degraded: flag,
    ...termination,
  }),
  subworkflow_failed: define("A sub-workflow ended badly.", {
    ...child,
    elapsed: number,
    error_type: text,
    message: text,
    error: envelope.optional(),
    ...termination,
  }),
} as const;
