// What steps record beside their attempts: scripts, set, wait, http, mcp; and what happens between an agent and its model.
import { z } from "zod";
import {
  any,
  defineInGroup as define,
  digestOfFile,
  flag,
  heldBack,
  number,
  stream,
  text,
  texts,
  tokens,
  visit,
} from "./fields.ts";

const agent_name = text;
const failure = { error_type: text, message: text };

/** Of runs of 0.3 only `node` and `target` are recorded. */
const tool = {
  node: text,
  target: text,
  agent_name: agent_name.optional(),
  server: text.optional(),
  tool: text.optional(),
};

const scriptEnd = {
  /** Of the files that `script_started` names: those that the attempt itself changed. */
  changed_files: texts.optional(),
  held_back: heldBack,
};

export const EXECUTOR_EVENTS = {
  script_started: define("A process is being started.", {
    ...visit,
    command: text,
    args: texts,
    working_dir: text,
    /** Files that it runs or names, as they were before: how a resume tells that one has changed. */
    files: z.array(digestOfFile).optional(),
  }),
  /** What a resume needs to end a process group that outlived its driver. */
  script_spawned: define("A process runs.", { agent_name, key: text, pid: number, started_at: text }),
  script_output: define("A process wrote something.", { node: text, key: text.optional(), stream, text }),
  script_completed: define("A process ended, whatever its exit code.", {
    ...visit,
    elapsed: number,
    exit_code: number.nullable(),
    signal: text.nullable(),
    stdin_bytes: number,
    stdout_bytes: number,
    stderr_bytes: number,
    truncated: flag,
    ...scriptEnd,
  }),
  script_failed: define("A process could not be started, or was ended by a timeout.", {
    ...visit,
    elapsed: number,
    ...failure,
    ...scriptEnd,
  }),
  orphan_ended: define("A process group that outlived its driver was ended before its step ran again.", {
    agent_name,
    pid: number,
  }),

  set_completed: define("Values were set.", { agent_name, output_type: text, output_keys: texts }),
  set_failed: define("Values could not be set.", { agent_name, ...failure }),
  wait_started: define("A wait began.", {
    ...visit,
    duration_seconds: number,
    remaining_seconds: number.optional(),
    reason: text.optional(),
  }),
  wait_completed: define("A wait ended, or a person skipped the rest of it.", {
    agent_name,
    waited_seconds: number,
    requested_seconds: number,
    skipped: flag.optional(),
  }),
  wait_failed: define("A wait could not be made.", { agent_name, ...failure }),
  http_started: define("A request is being sent.", { node: text, method: text, target: text }),
  http_completed: define("A request was answered.", { node: text, target: text, status: number, elapsed: number }),
  http_failed: define("A request failed.", {
    node: text,
    target: text,
    status: number.nullable(),
    elapsed: number,
    message: text,
  }),
  mcp_started: define("A tool is being called.", { ...tool, argument_keys: texts.optional() }),
  mcp_completed: define("A tool answered.", {
    ...tool,
    elapsed: number,
    is_error: flag.optional(),
    result_bytes: number.optional(),
    truncated: flag.optional(),
    spill_path: text.optional(),
  }),
  mcp_failed: define("A tool call failed.", { ...tool, elapsed: number, error_type: text.optional(), message: text }),
} as const;

export const MODEL_EVENTS = {
  agent_prompt_rendered: define("The prompt as it went to the model.", {
    agent_name,
    rendered_prompt: text,
    context_keys: texts,
  }),
  agent_turn_start: define("A turn of the model's tool loop began.", {
    agent_name,
    turn: number,
    model: text.optional(),
  }),
  /** What a resume needs to go on where an agent was interrupted. */
  agent_session: define("An agent that works in a folder begins a session, or goes on in one.", {
    agent_name,
    key: text,
    id: text,
    provider: text,
    /** The folder that it works in: programs that are found there are looked for last by the steps after it. */
    working_dir: text.optional(),
    session_key: text.optional(),
    resumed: flag.optional(),
  }),
  agent_message: define("Text from the model.", { agent_name, content: text }),
  agent_reasoning: define("Reasoning from the model.", { agent_name, content: text }),
  agent_tool_start: define("The model called a tool.", { agent_name, tool_name: text, arguments: any }),
  agent_tool_complete: define("A tool answered.", {
    agent_name,
    tool_name: text,
    result: any,
    failed: flag.optional(),
  }),
  agent_tool_output_truncated: define("A tool's answer was too long and was cut.", {
    agent_name,
    tool_name: text,
    original_chars: number,
    kept_chars: number,
    spill_path: text.nullable(),
  }),
  agent_parse_recovery: define("An answer had the wrong shape; the model was asked again.", {
    agent_name,
    attempt: number,
    max_attempts: number,
    reason: text,
    error: text,
  }),
  agent_retry: define("A call to the model failed in transport and is tried again.", {
    agent_name,
    attempt: number,
    max_attempts: number,
    error: text,
    error_type: text,
    delay: number,
  }),
  agent_fallback: define("The next model of the list is tried.", { agent_name, from: text, to: text, kind: text }),
  /** The truth for metrics. Where a step sends it, the tokens on its `agent_completed` are a summary and not added again. */
  agent_usage: define("What one call to a model used.", {
    ...visit,
    purpose: text,
    ...tokens,
    /** The price list does not know the model: the cost is that of the nearest one, or the agent's own estimate. */
    estimated: flag.optional(),
    /** The agent goes on: a budget that is used up ends it here. */
    under_way: flag.optional(),
  }),
  agent_validator_start: define("The answer is being judged.", {
    agent_name,
    model: text.optional(),
    criteria_preview: text,
  }),
  agent_validator_complete: define("The answer was judged.", {
    agent_name,
    passed: flag,
    issues: texts,
    errored: flag,
    ...tokens,
  }),
  agent_validation_failed: define("The judge found faults.", { agent_name, issues: texts, will_retry: flag }),
  dialog_started: define("A dialog with a person began.", { agent_name, question: text }),
  dialog_message: define("A message of a dialog, by the person or the agent.", {
    agent_name,
    role: text,
    content: text,
  }),
  dialog_completed: define("A dialog ended.", { agent_name, turns: number, declined: flag }),
  skill_injection_warning: define("Skills were too large, or cut.", {
    agent_name,
    bytes: number,
    limit: number,
    message: text,
  }),
  context_trimmed: define("Earlier outputs were dropped or cut to fit `context.max_tokens`.", {
    agent_name,
    strategy: text,
    dropped: texts,
  }),
  limit_wait_started: define("A call to a model waits for its turn under one of your limits.", {
    ...visit,
    limit: text,
    until: text.optional(),
  }),
  limit_wait_ended: define("The turn of a call came.", { ...visit, limit: text, waited_seconds: number }),
} as const;
