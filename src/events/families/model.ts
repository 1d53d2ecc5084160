// What happens between an agent step and its model.
import { z } from "zod";
import { any, define as defineAny, flag, member, number, text, tokens } from "./fields.ts";

/** Items of a group run at once under one step's name, so each event says whose it is. */
const define = <Shape extends z.ZodRawShape>(description: string, shape: Shape) =>
  defineAny(description, { ...shape, ...member });

export const MODEL_EVENTS = {
  agent_prompt_rendered: define("The prompt as it went to the model.", {
    agent_name: text,
    rendered_prompt: text,
    context_keys: z.array(text),
  }),
  agent_turn_start: define("A turn of the model's tool loop began.", {
    agent_name: text,
    turn: number,
    model: text.optional(),
  }),
  /** What a resume needs to go on where an agent was interrupted. */
  agent_session: define("An agent that works in a folder begins a session, or goes on in one.", {
    agent_name: text,
    key: text,
    id: text,
    provider: text,
    /** The folder that it works in: programs that are found there are looked for last by the steps after it. */
    working_dir: text.optional(),
    session_key: text.optional(),
    resumed: flag.optional(),
  }),
  agent_message: define("Text from the model.", { agent_name: text, content: text }),
  agent_reasoning: define("Reasoning from the model.", { agent_name: text, content: text }),
  agent_tool_start: define("The model called a tool.", { agent_name: text, tool_name: text, arguments: any }),
  agent_tool_complete: define("A tool answered.", {
    agent_name: text,
    tool_name: text,
    result: any,
    failed: flag.optional(),
  }),
  agent_tool_output_truncated: define("A tool's answer was too long and was cut.", {
    agent_name: text,
    tool_name: text,
    original_chars: number,
    kept_chars: number,
    spill_path: text.nullable(),
  }),
  agent_parse_recovery: define("An answer had the wrong shape; the model was asked again.", {
    agent_name: text,
    attempt: number,
    max_attempts: number,
    reason: text,
    error: text,
  }),
  agent_retry: define("A call to the model failed in transport and is tried again.", {
    agent_name: text,
    attempt: number,
    max_attempts: number,
    error: text,
    error_type: text,
    delay: number,
  }),
  agent_fallback: define("The next model of the list is tried.", {
    agent_name: text,
    from: text,
    to: text,
    kind: text,
  }),
  /** The truth for metrics. Where a step sends it, the tokens on its `agent_completed` are a summary and not added again. */
  agent_usage: define("What one call to a model used.", {
    agent_name: text,
    key: text.optional(),
    purpose: text,
    ...tokens,
    /** The price list does not know the model: the cost is that of the nearest one, or the agent's own estimate. */
    estimated: flag.optional(),
    /** The agent goes on: a budget that is used up ends it here. */
    under_way: flag.optional(),
  }),
  agent_validator_start: define("The answer is being judged.", {
    agent_name: text,
    model: text.optional(),
    criteria_preview: text,
  }),
  agent_validator_complete: define("The answer was judged.", {
    agent_name: text,
    passed: flag,
    issues: z.array(text),
    errored: flag,
    ...tokens,
  }),
  agent_validation_failed: define("The judge found faults.", {
    agent_name: text,
    issues: z.array(text),
    will_retry: flag,
  }),
  dialog_started: define("A dialog with a person began.", { agent_name: text, question: text }),
  dialog_message: define("A message of a dialog, by the person or the agent.", {
    agent_name: text,
    role: text,
    content: text,
  }),
  dialog_completed: define("A dialog ended.", { agent_name: text, turns: number, declined: flag }),
  skill_injection_warning: define("Skills were too large, or cut.", {
    agent_name: text,
    bytes: number,
    limit: number,
    message: text,
  }),
  context_trimmed: define("Earlier outputs were dropped or cut to fit `context.max_tokens`.", {
    agent_name: text,
    strategy: text,
    dropped: z.array(text),
  }),
  limit_wait_started: define("A call to a model waits for its turn under one of your limits.", {
    agent_name: text,
    key: text.optional(),
    limit: text,
    until: text.optional(),
  }),
  limit_wait_ended: define("The turn of a call came.", {
    agent_name: text,
    key: text.optional(),
    limit: text,
    waited_seconds: number,
  }),
} as const;
