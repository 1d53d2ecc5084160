// Every event a run can have, with its payload. Single source: the types, docs/events.md and the tests come from here.
// At run time only the types are used; nothing is parsed on the hot path.
import { z } from "zod";
import type { Envelope } from "../errors/index.ts";

const text = z.string();
const number = z.number();
const flag = z.boolean();
const any = z.unknown();
const map = z.record(text, any);

/** The place of an attempt: `key` is stable across resumes (`build[3].test#2`). */
const step = {
  agent_name: text,
  agent_type: text,
  key: text,
  attempt: number,
  /** Set for members of a group. */
  group: text.optional(),
  item_key: text.optional(),
};
/** The same for what is told of a member beside its attempts. */
const member = { group: step.group, item_key: step.item_key };

const raisedAt = z.object({ workflow: text, node: text, attempt: number });
const frame = z.object({ workflow: text, node: text });
const envelope: z.ZodType<Envelope> = z.object({
  kind: text,
  message: text,
  details: map,
  raised_at: raisedAt,
  propagated: z.array(frame),
  attempts: number,
  cause: z.lazy(() => envelope).optional(),
});

const outlineNode = z.object({
  name: text,
  type: text,
  line: number.optional(),
  /** Members of a parallel group, in order. */
  members: z.array(z.object({ name: text, type: text })).optional(),
  /** The inline step of a for_each. */
  item: z.object({ name: text, type: text }).optional(),
});
/** The steps of a file in file order, so that a fold can tell what never ran. Members stand only under their group. */
const outline = z.object({ name: text, file: text, nodes: z.array(outlineNode) });

const termination = {
  termination_reason: text.optional(),
  terminated_by: text.optional(),
  is_explicit: flag.optional(),
  status: z.enum(["success", "failed"]).optional(),
};

const tokens = {
  model: text.optional(),
  input_tokens: number.optional(),
  output_tokens: number.optional(),
  cache_read_tokens: number.optional(),
  cache_write_tokens: number.optional(),
  reasoning_tokens: number.optional(),
  cost_usd: number.nullable().optional(),
};

const gateOption = z.object({
  label: text,
  value: text,
  route: text.optional(),
  description: text.optional(),
  prompt_for: text.optional(),
  multiline: flag.optional(),
});

const define = <Shape extends z.ZodRawShape>(description: string, shape: Shape) => ({
  description,
  data: z.object(shape),
});

export const EVENTS = {
  workflow_started: define("A run began.", {
    name: text,
    file: text,
    entry_point: text,
    version: text.optional(),
    outline,
    inputs: map,
    metadata: map.optional(),
    routes: z.array(z.object({ from: text, to: text, when: text.optional(), on_error: any.optional() })),
    durability: text,
    /** Whom agents ask whatever the files say, when somebody chose that. */
    provider: text.optional(),
    definition_hash: text,
    system: map,
  }),
  run_resumed: define("A further drive of the run began.", {
    drive: number,
    outline,
    definition_hash: text,
    file_changed: flag,
    inputs_changed: z.array(text),
    inputs: map,
    from: text.optional(),
    force: flag.optional(),
    max_iterations: number.optional(),
    provider: text.optional(),
    /** Why the drive before ended: `failed`, `paused`, `cancelled`, or `crashed` when it left no word. */
    after: text,
    reason: text,
    system: map,
  }),
  workflow_completed: define("The run ended well.", {
    elapsed: number,
    output: any,
    degraded: flag,
    ...termination,
  }),
  workflow_failed: define("The run ended badly.", {
    elapsed: number,
    error_type: text,
    message: text,
    agent_name: text.nullable(),
    /** The sub-workflow that the step stands in, when it is not in the root's file: a `halt` goes straight up from there. */
    agent_path: z.array(text).optional(),
    error: envelope.optional(),
    errors_jsonl: text.optional(),
    resumable: flag,
    output: any.optional(),
    ...termination,
  }),
  run_paused: define("The run waits for a person, and nobody was there to ask.", { reason: text, gate: map }),
  run_cancelled: define("Somebody stopped the run.", { reason: text, agent_name: text.nullable() }),

  agent_started: define("An attempt at a step of any type began.", {
    ...step,
    iteration: number,
    working_dir: text.optional(),
    /** Of a step that had ended well in an earlier drive: why that is not reused. */
    again: z.enum(["definition changed", "definition or environment changed", "inputs changed"]).optional(),
  }),
  agent_completed: define("A step ended well.", {
    ...step,
    elapsed: number,
    hash: text.optional(),
    /** Digest of the definition alone: how a resume tells a repaired step from one whose inputs changed. Told once a drive. */
    definition: text.optional(),
    output: any,
    output_keys: z.array(text).optional(),
    repaired: flag.optional(),
    ...tokens,
    ...termination,
  }),
  agent_failed: define("An attempt at a step raised.", {
    ...step,
    elapsed: number,
    error_type: text,
    message: text,
    kind: text.nullable(),
    hash: text.optional(),
    definition: text.optional(),
    /** What the step produced before it raised. */
    output: any.optional(),
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
    from_run: text.optional(),
    /** With `from_run`: the outcome itself, since this run's journal has no other record of it. */
    output: any.optional(),
  }),

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
  dialog_message: define("Somebody said something in a dialog.", { agent_name: text, role: text, content: text }),
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

  script_started: define("A process is being started.", {
    agent_name: text,
    key: text.optional(),
    command: text,
    args: z.array(text),
    working_dir: text,
  }),
  /** What a resume needs to end a process group that outlived its driver. */
  script_spawned: define("A process runs.", { agent_name: text, key: text, pid: number, started_at: text }),
  script_output: define("A process wrote something.", { node: text, stream: z.enum(["stdout", "stderr"]), text }),
  script_completed: define("A process ended, whatever its exit code.", {
    agent_name: text,
    elapsed: number,
    exit_code: number.nullable(),
    signal: text.nullable(),
    stdin_bytes: number,
    stdout_bytes: number,
    stderr_bytes: number,
    truncated: flag,
  }),
  script_failed: define("A process could not be started, or was ended by a timeout.", {
    agent_name: text,
    elapsed: number,
    error_type: text,
    message: text,
  }),
  orphan_ended: define("A process group that outlived its driver was ended before its step ran again.", {
    agent_name: text,
    pid: number,
  }),

  set_completed: define("Values were set.", { agent_name: text, output_type: text, output_keys: z.array(text) }),
  set_failed: define("Values could not be set.", { agent_name: text, error_type: text, message: text }),
  wait_started: define("A wait began.", {
    agent_name: text,
    key: text.optional(),
    duration_seconds: number,
    reason: text.optional(),
  }),
  wait_completed: define("A wait ended.", { agent_name: text, waited_seconds: number, requested_seconds: number }),
  wait_failed: define("A wait could not be made.", { agent_name: text, error_type: text, message: text }),
  http_started: define("A request is being sent.", { node: text, method: text, target: text }),
  http_completed: define("A request was answered.", { node: text, target: text, status: number, elapsed: number }),
  http_failed: define("A request failed.", {
    node: text,
    target: text,
    status: number.nullable(),
    elapsed: number,
    message: text,
  }),
  mcp_started: define("A tool is being called.", { node: text, target: text }),
  mcp_completed: define("A tool answered.", { node: text, target: text, elapsed: number }),
  mcp_failed: define("A tool call failed.", { node: text, target: text, elapsed: number, message: text }),

  gate_presented: define("A person is asked.", {
    agent_name: text,
    key: text,
    prompt: text,
    options: z.array(gateOption),
  }),
  gate_resolved: define("A person answered.", {
    agent_name: text,
    key: text,
    selected_option: text,
    route: text.nullable(),
    additional_input: map,
    answered_by: text,
  }),
  gate_failed: define("A gate could not be asked.", { agent_name: text, error_type: text, message: text }),
  questions_presented: define("A list of questions is asked.", {
    agent_name: text,
    key: text,
    prompt: text.optional(),
    questions: z.array(map),
  }),
  questions_answered: define("One question was answered.", {
    agent_name: text,
    key: text,
    id: text,
    answer: any,
    source: text,
  }),
  questions_completed: define("The questions are done.", {
    agent_name: text,
    outcome: text,
    answered_count: number,
    skipped_count: number,
    answered_by: text,
  }),
  questions_failed: define("The questions could not be asked.", { agent_name: text, error_type: text, message: text }),

  route_taken: define("A step led to the next.", {
    from_agent: text,
    to_agent: text,
    /** Index in the routes table, and its line; null when the step has no routes. */
    route: z.object({ index: number, line: number.optional() }).nullable(),
    error: flag.optional(),
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
  error_unhandled: define("No route took an envelope.", { node: text, kind: text, considered: z.array(map) }),
  error_recovered: define("An error was dealt with.", {
    node: text,
    key: text.optional(),
    kind: text,
    by: text,
    error: envelope,
  }),
  retry_scheduled: define("A step will run again.", {
    node: text,
    key: text,
    kind: text,
    attempt: number,
    max: number,
    delay_seconds: number,
    until: text,
    route: number,
    via: text.optional(),
    by: z.enum(["route", "resilience"]).optional(),
    ...member,
  }),
  retry_awaited: define("A resume waits for what is left of the time before a retry.", {
    node: text,
    key: text,
    attempt: number,
    max: number.optional(),
    remaining_seconds: number,
    until: text,
    ...member,
  }),

  parallel_started: define("A parallel group began.", {
    group_name: text,
    key: text,
    agents: z.array(text),
    max_concurrent: number,
  }),
  parallel_agent_started: define("A member of a parallel group began.", { group_name: text, agent_name: text }),
  parallel_agent_completed: define("A member ended well.", {
    group_name: text,
    agent_name: text,
    elapsed: number,
    recovered: flag.optional(),
  }),
  parallel_agent_failed: define("A member failed.", {
    group_name: text,
    agent_name: text,
    elapsed: number,
    reused: flag.optional(),
    error: envelope,
  }),
  parallel_completed: define("A parallel group ended.", {
    group_name: text,
    key: text,
    success_count: number,
    failure_count: number,
    count: number.optional(),
    elapsed: number,
    output: any.optional(),
    failed: flag,
  }),
  for_each_started: define("A for_each group began.", {
    group_name: text,
    key: text,
    item_count: number,
    max_concurrent: number,
    failure_mode: text,
  }),
  for_each_item_started: define("An item began.", { group_name: text, item_key: text, index: number }),
  for_each_item_completed: define("An item ended well.", {
    group_name: text,
    item_key: text,
    index: number,
    elapsed: number,
    recovered: flag.optional(),
  }),
  for_each_item_failed: define("An item failed.", {
    group_name: text,
    item_key: text,
    index: number,
    elapsed: number,
    reused: flag.optional(),
    error: envelope,
  }),
  for_each_completed: define("A for_each group ended.", {
    group_name: text,
    key: text,
    success_count: number,
    failure_count: number,
    count: number,
    elapsed: number,
    output: any.optional(),
    failed: flag,
  }),
  group_failed: define("A group raised: its members' envelopes, in order of time.", {
    group_name: text,
    key: text,
    errors: z.array(z.object({ node: text, item_key: text.optional(), error: envelope })),
  }),

  subworkflow_started: define("A sub-workflow began.", {
    agent_name: text,
    key: text,
    slot: text,
    workflow: text,
    file: text,
    inputs: map,
    outline,
  }),
  subworkflow_completed: define("A sub-workflow ended well.", {
    agent_name: text,
    key: text,
    slot: text,
    elapsed: number,
    degraded: flag,
    ...termination,
  }),
  subworkflow_failed: define("A sub-workflow ended badly.", {
    agent_name: text,
    key: text,
    slot: text,
    elapsed: number,
    error_type: text,
    message: text,
    error: envelope.optional(),
    ...termination,
  }),

  iteration_limit_reached: define("The run used up `max_iterations`.", {
    current_iteration: number,
    max_iterations: number,
    agent_name: text,
    agent_history: z.array(text),
  }),
  iteration_limit_resolved: define("Somebody allowed more iterations.", { additional_iterations: number }),
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
    /** It did not get through; `escalation_failed` says why. */
    failed: flag.optional(),
  }),
  escalation_failed: define("An escalation did not get through.", {
    node: text,
    key: text.optional(),
    kind: text,
    message: text,
  }),
  dead_lettered: define("A failed step or item was kept for a later try.", {
    node: text,
    key: text.optional(),
    kind: text,
    letter: text,
    item_key: text.optional(),
  }),
  dead_letter_resolved: define("A letter's step or item succeeded.", {
    node: text,
    kind: text,
    letter: text,
    item_key: text.optional(),
  }),
  circuit_opened: define("A breaker opened.", { breaker: text, failures: number, retry_after_seconds: number }),
  circuit_half_opened: define("A breaker lets probes through.", { breaker: text, failures: number }),
  circuit_closed: define("A breaker closed.", { breaker: text, failures: number }),
  policy_evaluated: define("Policies were asked before a step.", { node: text, allowed: flag, verdicts: z.array(map) }),

  hook_ran: define("A lifecycle hook ran.", {
    hook: text,
    key: text.optional(),
    ok: flag,
    text: text.optional(),
    exit_code: number.optional(),
    message: text.optional(),
  }),
  warning: define("Something worth knowing happened.", { node: text.nullable(), message: text }),
  errors_jsonl_write_failed: define("`errors.jsonl` could not be written.", { reason: text, path: text }),
} as const;

export type EventType = keyof typeof EVENTS;
export type EventData<Type extends EventType> = z.infer<(typeof EVENTS)[Type]["data"]>;

/** An event of a run. `path` names the sub-workflows it happened in: `["plan", "build[3]"]`. */
export type RunEvent = {
  [Type in EventType]: {
    readonly seq: number;
    readonly ts: string;
    readonly type: Type;
    readonly run_id: string;
    readonly path: readonly string[];
    readonly data: EventData<Type>;
  };
}[EventType];

/** How a part of the program reports that something happened; the host numbers, times and records it. */
export type Emit = <Type extends EventType>(path: readonly string[], type: Type, data: EventData<Type>) => void;
