// biome-ignore-all format: written by `npm run docs` from src/events/registry.ts. Do not edit.
// What each event carries, for users of the library.
import type { Envelope } from "../errors/index.ts";

export interface EventData {
  /** A run began. */
  readonly workflow_started: {
    readonly name: string;
    readonly file: string;
    readonly entry_point: string;
    readonly version?: string | undefined;
    readonly outline: {
      readonly name: string;
      readonly file: string;
      readonly nodes: readonly ({
        readonly name: string;
        readonly type: string;
        readonly line?: number | undefined;
        readonly members?: readonly {
          readonly name: string;
          readonly type: string;
        }[] | undefined;
        readonly item?: {
          readonly name: string;
          readonly type: string;
        } | undefined;
      })[];
    };
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly hidden_inputs?: readonly string[] | undefined;
    readonly metadata?: Readonly<Record<string, unknown>> | undefined;
    readonly routes: readonly ({
      readonly from: string;
      readonly to: string;
      readonly when?: string | undefined;
      readonly on_error?: unknown;
    })[];
    readonly durability: string;
    readonly provider?: string | undefined;
    readonly definition_hash: string;
    readonly started_by?: string | undefined;
    readonly fired_by?: string | undefined;
    readonly changed_by?: readonly string[] | undefined;
    readonly system: Readonly<Record<string, unknown>>;
  };
  /** A further drive of the run began. */
  readonly run_resumed: {
    readonly drive: number;
    readonly outline: {
      readonly name: string;
      readonly file: string;
      readonly nodes: readonly ({
        readonly name: string;
        readonly type: string;
        readonly line?: number | undefined;
        readonly members?: readonly {
          readonly name: string;
          readonly type: string;
        }[] | undefined;
        readonly item?: {
          readonly name: string;
          readonly type: string;
        } | undefined;
      })[];
    };
    readonly definition_hash: string;
    readonly file_changed: boolean;
    readonly inputs_changed: readonly string[];
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly hidden_inputs?: readonly string[] | undefined;
    readonly from?: string | undefined;
    readonly force?: boolean | undefined;
    readonly changed_files?: boolean | undefined;
    readonly max_iterations?: number | undefined;
    readonly provider?: string | undefined;
    readonly after: string;
    readonly reason: string;
    readonly by?: string | undefined;
    readonly answers?: boolean | undefined;
    readonly system: Readonly<Record<string, unknown>>;
  };
  /** The drive continues from a keyframe, a snapshot of the run: visits before it are reused. */
  readonly keyframe_resumed: {
    readonly seq: number;
    readonly visits: number;
    readonly nodes: readonly ({
      readonly name: string;
      readonly key: unknown;
      readonly status: string;
      readonly handed_to?: string | undefined;
    })[];
  };
  /** Failed items of a run that had ended run again, each by itself. */
  readonly items_retried: {
    readonly items: readonly string[];
    readonly by?: string | undefined;
    readonly system: Readonly<Record<string, unknown>>;
  };
  /** The run ended well. */
  readonly workflow_completed: {
    readonly elapsed: number;
    readonly output: unknown;
    readonly degraded: boolean;
    readonly termination_reason?: string | undefined;
    readonly terminated_by?: string | undefined;
    readonly is_explicit?: boolean | undefined;
    readonly status?: "success" | "failed" | undefined;
  };
  /** The run ended badly. */
  readonly workflow_failed: {
    readonly elapsed: number;
    readonly error_type: string;
    readonly message: string;
    readonly agent_name: unknown;
    readonly agent_path?: readonly string[] | undefined;
    readonly error?: Envelope | undefined;
    readonly errors_jsonl?: string | undefined;
    readonly resumable: boolean;
    readonly output?: unknown;
    readonly termination_reason?: string | undefined;
    readonly terminated_by?: string | undefined;
    readonly is_explicit?: boolean | undefined;
    readonly status?: "success" | "failed" | undefined;
  };
  /** The run waits for the answer of a person. */
  readonly run_paused: {
    readonly reason: string;
    readonly gate: Readonly<Record<string, unknown>>;
  };
  /** The run was cancelled. */
  readonly run_cancelled: {
    readonly reason: string;
    readonly agent_name: unknown;
    readonly by?: string | undefined;
  };
  /** An attempt at a step of any type began. */
  readonly agent_started: {
    readonly agent_name: string;
    readonly agent_type: string;
    readonly key: string;
    readonly attempt: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly iteration: number;
    readonly working_dir?: string | undefined;
    readonly again?: "definition changed" | "definition or environment changed" | "files changed" | "inputs changed" | undefined;
  };
  /** A step ended well. */
  readonly agent_completed: {
    readonly agent_name: string;
    readonly agent_type: string;
    readonly key: string;
    readonly attempt: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly elapsed: number;
    readonly hash?: string | undefined;
    readonly definition?: string | undefined;
    readonly output: unknown;
    readonly changes?: {
      readonly files: readonly ({
        readonly path: string;
        readonly change: "added" | "modified" | "deleted";
        readonly added: unknown;
        readonly removed: unknown;
      } | string)[];
      readonly added: number;
      readonly removed: number;
      readonly incomplete?: boolean | undefined;
      readonly denied?: readonly {
        readonly what: string;
        readonly by: string;
        readonly at: string;
      }[] | undefined;
    } | undefined;
    readonly output_keys?: readonly string[] | undefined;
    readonly repaired?: boolean | undefined;
    readonly exit_code?: number | undefined;
    readonly model?: string | undefined;
    readonly response_model?: string | undefined;
    readonly provider?: string | undefined;
    readonly input_tokens?: number | undefined;
    readonly output_tokens?: number | undefined;
    readonly cache_read_tokens?: number | undefined;
    readonly cache_write_tokens?: number | undefined;
    readonly reasoning_tokens?: number | undefined;
    readonly cost_usd?: unknown;
    readonly termination_reason?: string | undefined;
    readonly terminated_by?: string | undefined;
    readonly is_explicit?: boolean | undefined;
    readonly status?: "success" | "failed" | undefined;
  };
  /** An attempt at a step raised. */
  readonly agent_failed: {
    readonly agent_name: string;
    readonly agent_type: string;
    readonly key: string;
    readonly attempt: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly elapsed: number;
    readonly error_type: string;
    readonly message: string;
    readonly kind: unknown;
    readonly breaker?: "open" | "half_open" | undefined;
    readonly hash?: string | undefined;
    readonly definition?: string | undefined;
    readonly output?: unknown;
    readonly changes?: {
      readonly files: readonly ({
        readonly path: string;
        readonly change: "added" | "modified" | "deleted";
        readonly added: unknown;
        readonly removed: unknown;
      } | string)[];
      readonly added: number;
      readonly removed: number;
      readonly incomplete?: boolean | undefined;
      readonly denied?: readonly {
        readonly what: string;
        readonly by: string;
        readonly at: string;
      }[] | undefined;
    } | undefined;
    readonly repaired?: boolean | undefined;
    readonly model?: string | undefined;
    readonly response_model?: string | undefined;
    readonly provider?: string | undefined;
    readonly input_tokens?: number | undefined;
    readonly output_tokens?: number | undefined;
    readonly cache_read_tokens?: number | undefined;
    readonly cache_write_tokens?: number | undefined;
    readonly reasoning_tokens?: number | undefined;
    readonly cost_usd?: unknown;
    readonly termination_reason?: string | undefined;
    readonly terminated_by?: string | undefined;
    readonly is_explicit?: boolean | undefined;
    readonly status?: "success" | "failed" | undefined;
  };
  /** An attempt was stopped from outside: a sibling failed, or the run was cancelled. */
  readonly agent_cancelled: {
    readonly agent_name: string;
    readonly agent_type: string;
    readonly key: string;
    readonly attempt: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly elapsed: number;
    readonly reason: string;
  };
  /** A step was not run again: its earlier outcome has the same hash. */
  readonly agent_reused: {
    readonly agent_name: string;
    readonly agent_type: string;
    readonly key: string;
    readonly attempt: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly hash: string;
    readonly kind?: string | undefined;
    readonly from_run?: string | undefined;
    readonly output?: unknown;
    readonly changes?: {
      readonly files: readonly ({
        readonly path: string;
        readonly change: "added" | "modified" | "deleted";
        readonly added: unknown;
        readonly removed: unknown;
      } | string)[];
      readonly added: number;
      readonly removed: number;
      readonly incomplete?: boolean | undefined;
      readonly denied?: readonly {
        readonly what: string;
        readonly by: string;
        readonly at: string;
      }[] | undefined;
    } | undefined;
    readonly files?: readonly {
      readonly path: string;
      readonly digest: string;
    }[] | undefined;
    readonly changed_files?: readonly string[] | undefined;
  };
  /** The prompt as it went to the model. */
  readonly agent_prompt_rendered: {
    readonly agent_name: string;
    readonly rendered_prompt: string;
    readonly context_keys: readonly string[];
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A turn of the model's tool loop began. */
  readonly agent_turn_start: {
    readonly agent_name: string;
    readonly turn: number;
    readonly model?: string | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** An agent that works in a folder begins a session, or goes on in one. */
  readonly agent_session: {
    readonly agent_name: string;
    readonly key: string;
    readonly id: string;
    readonly provider: string;
    readonly working_dir?: string | undefined;
    readonly session_key?: string | undefined;
    readonly resumed?: boolean | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** Text from the model. */
  readonly agent_message: {
    readonly agent_name: string;
    readonly content: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** Reasoning from the model. */
  readonly agent_reasoning: {
    readonly agent_name: string;
    readonly content: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** The model called a tool. */
  readonly agent_tool_start: {
    readonly agent_name: string;
    readonly tool_name: string;
    readonly arguments: unknown;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A tool answered. */
  readonly agent_tool_complete: {
    readonly agent_name: string;
    readonly tool_name: string;
    readonly result: unknown;
    readonly failed?: boolean | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A tool's answer was too long and was cut. */
  readonly agent_tool_output_truncated: {
    readonly agent_name: string;
    readonly tool_name: string;
    readonly original_chars: number;
    readonly kept_chars: number;
    readonly spill_path: unknown;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** An answer had the wrong shape; the model was asked again. */
  readonly agent_parse_recovery: {
    readonly agent_name: string;
    readonly attempt: number;
    readonly max_attempts: number;
    readonly reason: string;
    readonly error: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A call to the model failed in transport and is tried again. */
  readonly agent_retry: {
    readonly agent_name: string;
    readonly attempt: number;
    readonly max_attempts: number;
    readonly error: string;
    readonly error_type: string;
    readonly delay: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** The next model of the list is tried. */
  readonly agent_fallback: {
    readonly agent_name: string;
    readonly from: string;
    readonly to: string;
    readonly kind: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** What one call to a model used. */
  readonly agent_usage: {
    readonly agent_name: string;
    readonly key?: string | undefined;
    readonly purpose: string;
    readonly model?: string | undefined;
    readonly response_model?: string | undefined;
    readonly provider?: string | undefined;
    readonly input_tokens?: number | undefined;
    readonly output_tokens?: number | undefined;
    readonly cache_read_tokens?: number | undefined;
    readonly cache_write_tokens?: number | undefined;
    readonly reasoning_tokens?: number | undefined;
    readonly cost_usd?: unknown;
    readonly estimated?: boolean | undefined;
    readonly under_way?: boolean | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** The answer is being judged. */
  readonly agent_validator_start: {
    readonly agent_name: string;
    readonly model?: string | undefined;
    readonly criteria_preview: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** The answer was judged. */
  readonly agent_validator_complete: {
    readonly agent_name: string;
    readonly passed: boolean;
    readonly issues: readonly string[];
    readonly errored: boolean;
    readonly model?: string | undefined;
    readonly response_model?: string | undefined;
    readonly provider?: string | undefined;
    readonly input_tokens?: number | undefined;
    readonly output_tokens?: number | undefined;
    readonly cache_read_tokens?: number | undefined;
    readonly cache_write_tokens?: number | undefined;
    readonly reasoning_tokens?: number | undefined;
    readonly cost_usd?: unknown;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** The judge found faults. */
  readonly agent_validation_failed: {
    readonly agent_name: string;
    readonly issues: readonly string[];
    readonly will_retry: boolean;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A dialog with a person began. */
  readonly dialog_started: {
    readonly agent_name: string;
    readonly question: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A message of a dialog, by the person or the agent. */
  readonly dialog_message: {
    readonly agent_name: string;
    readonly role: string;
    readonly content: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A dialog ended. */
  readonly dialog_completed: {
    readonly agent_name: string;
    readonly turns: number;
    readonly declined: boolean;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** Skills were too large, or cut. */
  readonly skill_injection_warning: {
    readonly agent_name: string;
    readonly bytes: number;
    readonly limit: number;
    readonly message: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** Earlier outputs were dropped or cut to fit `context.max_tokens`. */
  readonly context_trimmed: {
    readonly agent_name: string;
    readonly strategy: string;
    readonly dropped: readonly string[];
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A call to a model waits for its turn under one of your limits. */
  readonly limit_wait_started: {
    readonly agent_name: string;
    readonly key?: string | undefined;
    readonly limit: string;
    readonly until?: string | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** The turn of a call came. */
  readonly limit_wait_ended: {
    readonly agent_name: string;
    readonly key?: string | undefined;
    readonly limit: string;
    readonly waited_seconds: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A process is being started. */
  readonly script_started: {
    readonly agent_name: string;
    readonly key?: string | undefined;
    readonly command: string;
    readonly args: readonly string[];
    readonly working_dir: string;
    readonly files?: readonly {
      readonly path: string;
      readonly digest: string;
    }[] | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A process runs. */
  readonly script_spawned: {
    readonly agent_name: string;
    readonly key: string;
    readonly pid: number;
    readonly started_at: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A process wrote something. */
  readonly script_output: {
    readonly node: string;
    readonly key?: string | undefined;
    readonly stream: "stdout" | "stderr";
    readonly text: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A process ended, whatever its exit code. */
  readonly script_completed: {
    readonly agent_name: string;
    readonly key?: string | undefined;
    readonly elapsed: number;
    readonly exit_code: unknown;
    readonly signal: unknown;
    readonly stdin_bytes: number;
    readonly stdout_bytes: number;
    readonly stderr_bytes: number;
    readonly truncated: boolean;
    readonly changed_files?: readonly string[] | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A process could not be started, or was ended by a timeout. */
  readonly script_failed: {
    readonly agent_name: string;
    readonly key?: string | undefined;
    readonly elapsed: number;
    readonly error_type: string;
    readonly message: string;
    readonly changed_files?: readonly string[] | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A process group that outlived its driver was ended before its step ran again. */
  readonly orphan_ended: {
    readonly agent_name: string;
    readonly pid: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** Values were set. */
  readonly set_completed: {
    readonly agent_name: string;
    readonly output_type: string;
    readonly output_keys: readonly string[];
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** Values could not be set. */
  readonly set_failed: {
    readonly agent_name: string;
    readonly error_type: string;
    readonly message: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A wait began. */
  readonly wait_started: {
    readonly agent_name: string;
    readonly key?: string | undefined;
    readonly duration_seconds: number;
    readonly remaining_seconds?: number | undefined;
    readonly reason?: string | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A wait ended, or a person skipped the rest of it. */
  readonly wait_completed: {
    readonly agent_name: string;
    readonly waited_seconds: number;
    readonly requested_seconds: number;
    readonly skipped?: boolean | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A wait could not be made. */
  readonly wait_failed: {
    readonly agent_name: string;
    readonly error_type: string;
    readonly message: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A request is being sent. */
  readonly http_started: {
    readonly node: string;
    readonly method: string;
    readonly target: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A request was answered. */
  readonly http_completed: {
    readonly node: string;
    readonly target: string;
    readonly status: number;
    readonly elapsed: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A request failed. */
  readonly http_failed: {
    readonly node: string;
    readonly target: string;
    readonly status: unknown;
    readonly elapsed: number;
    readonly message: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A tool is being called. */
  readonly mcp_started: {
    readonly node: string;
    readonly target: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A tool answered. */
  readonly mcp_completed: {
    readonly node: string;
    readonly target: string;
    readonly elapsed: number;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A tool call failed. */
  readonly mcp_failed: {
    readonly node: string;
    readonly target: string;
    readonly elapsed: number;
    readonly message: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A person is asked. */
  readonly gate_presented: {
    readonly agent_name: string;
    readonly key: string;
    readonly prompt: string;
    readonly options: readonly ({
      readonly label: string;
      readonly value: string;
      readonly route?: string | undefined;
      readonly description?: string | undefined;
      readonly prompt_for?: string | undefined;
      readonly multiline?: boolean | undefined;
      readonly prompt_optional?: boolean | undefined;
    })[];
    readonly asked_at?: string | undefined;
    readonly deadline?: string | undefined;
    readonly approvers?: readonly string[] | undefined;
    readonly not_by?: string | undefined;
    readonly nor_by?: readonly string[] | undefined;
    readonly about?: string | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A gate was answered: by a person, `--skip-gates`, `on_timeout` or a scenario. */
  readonly gate_resolved: {
    readonly agent_name: string;
    readonly key: string;
    readonly selected_option: string;
    readonly route: unknown;
    readonly additional_input: Readonly<Record<string, unknown>>;
    readonly answered_by: string;
    readonly answered_via?: string | undefined;
    readonly claimed_by?: string | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A notice that a gate or questions wait for an answer was sent, or could not be sent. */
  readonly gate_notified: {
    readonly agent_name: string;
    readonly key: string;
    readonly reminder: number;
    readonly ok: boolean;
    readonly message?: string | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** An answer was refused: the person who gave it may not answer. */
  readonly gate_refused: {
    readonly agent_name: string;
    readonly key: string;
    readonly answered_by: string;
    readonly reason: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A gate could not be asked. */
  readonly gate_failed: {
    readonly agent_name: string;
    readonly error_type: string;
    readonly message: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A list of questions is asked. */
  readonly questions_presented: {
    readonly agent_name: string;
    readonly key: string;
    readonly prompt?: string | undefined;
    readonly questions: readonly Readonly<Record<string, unknown>>[];
    readonly asked_at?: string | undefined;
    readonly deadline?: string | undefined;
    readonly approvers?: readonly string[] | undefined;
    readonly not_by?: string | undefined;
    readonly nor_by?: readonly string[] | undefined;
    readonly about?: string | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** One question was answered. */
  readonly questions_answered: {
    readonly agent_name: string;
    readonly key: string;
    readonly id: string;
    readonly answer: unknown;
    readonly source: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** The questions are done. */
  readonly questions_completed: {
    readonly agent_name: string;
    readonly key?: string | undefined;
    readonly outcome: string;
    readonly answered_count: number;
    readonly skipped_count: number;
    readonly answered_by: string;
    readonly answered_via?: string | undefined;
    readonly claimed_by?: string | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** The questions could not be asked. */
  readonly questions_failed: {
    readonly agent_name: string;
    readonly error_type: string;
    readonly message: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A step led to the next. */
  readonly route_taken: {
    readonly from_agent: string;
    readonly to_agent: string;
    readonly route: {
      readonly index: number;
      readonly line?: number | undefined;
    } | null;
    readonly error?: boolean | undefined;
    readonly option?: number | undefined;
  };
  /** An envelope was raised. */
  readonly error_raised: {
    readonly node: string;
    readonly key?: string | undefined;
    readonly error: Envelope;
  };
  /** A route took an envelope. */
  readonly error_routed: {
    readonly node: string;
    readonly key?: string | undefined;
    readonly kind: string;
    readonly route: {
      readonly index: number;
      readonly line?: number | undefined;
      readonly table: "step" | "workflow" | "resilience";
    };
    readonly action: "to" | "retry" | "halt" | "propagate" | "escalate" | "dead_letter";
    readonly to?: string | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly considered?: readonly Readonly<Record<string, unknown>>[] | undefined;
  };
  /** No route took an envelope. */
  readonly error_unhandled: {
    readonly node: string;
    readonly key?: string | undefined;
    readonly kind: string;
    readonly considered: readonly Readonly<Record<string, unknown>>[];
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** An error was handled. */
  readonly error_recovered: {
    readonly node: string;
    readonly key?: string | undefined;
    readonly kind: string;
    readonly by: string;
    readonly error: Envelope;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A step will run again. */
  readonly retry_scheduled: {
    readonly node: string;
    readonly key: string;
    readonly kind: string;
    readonly attempt: number;
    readonly nth?: number | undefined;
    readonly max?: number | undefined;
    readonly delay_seconds: number;
    readonly until: string;
    readonly until_reset?: boolean | undefined;
    readonly limit?: string | undefined;
    readonly route: number;
    readonly via?: string | undefined;
    readonly by?: "route" | "resilience" | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A resume waits for what is left of the time before a retry. */
  readonly retry_awaited: {
    readonly node: string;
    readonly key: string;
    readonly attempt: number;
    readonly nth?: number | undefined;
    readonly max?: number | undefined;
    readonly remaining_seconds: number;
    readonly until: string;
    readonly until_reset?: boolean | undefined;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A parallel group began. */
  readonly parallel_started: {
    readonly group_name: string;
    readonly key: string;
    readonly agents: readonly string[];
    readonly max_concurrent: number;
  };
  /** A member of a parallel group began. */
  readonly parallel_agent_started: {
    readonly group_name: string;
    readonly agent_name: string;
  };
  /** A member ended well. */
  readonly parallel_agent_completed: {
    readonly group_name: string;
    readonly agent_name: string;
    readonly elapsed: number;
    readonly recovered?: boolean | undefined;
  };
  /** A member failed. */
  readonly parallel_agent_failed: {
    readonly group_name: string;
    readonly agent_name: string;
    readonly elapsed: number;
    readonly reused?: boolean | undefined;
    readonly error: Envelope;
  };
  /** A parallel group ended. */
  readonly parallel_completed: {
    readonly group_name: string;
    readonly key: string;
    readonly success_count: number;
    readonly failure_count: number;
    readonly count?: number | undefined;
    readonly elapsed: number;
    readonly output?: unknown;
    readonly failed: boolean;
  };
  /** A for_each group began. */
  readonly for_each_started: {
    readonly group_name: string;
    readonly key: string;
    readonly item_count: number;
    readonly max_concurrent: number;
    readonly failure_mode: string;
  };
  /** An item began. */
  readonly for_each_item_started: {
    readonly group_name: string;
    readonly item_key: string;
    readonly index: number;
  };
  /** An item ended well. */
  readonly for_each_item_completed: {
    readonly group_name: string;
    readonly item_key: string;
    readonly index: number;
    readonly elapsed: number;
    readonly recovered?: boolean | undefined;
  };
  /** An item failed. */
  readonly for_each_item_failed: {
    readonly group_name: string;
    readonly item_key: string;
    readonly index: number;
    readonly elapsed: number;
    readonly reused?: boolean | undefined;
    readonly error: Envelope;
  };
  /** A for_each group ended. */
  readonly for_each_completed: {
    readonly group_name: string;
    readonly key: string;
    readonly success_count: number;
    readonly failure_count: number;
    readonly count: number;
    readonly elapsed: number;
    readonly output?: unknown;
    readonly failed: boolean;
  };
  /** A group raised: its members' envelopes, in order of time. */
  readonly group_failed: {
    readonly group_name: string;
    readonly key: string;
    readonly errors: readonly ({
      readonly node: string;
      readonly item_key?: string | undefined;
      readonly error: Envelope;
    })[];
  };
  /** A sub-workflow began. */
  readonly subworkflow_started: {
    readonly agent_name: string;
    readonly key: string;
    readonly slot: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly workflow: string;
    readonly file: string;
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly hidden_inputs?: readonly string[] | undefined;
    readonly outline: {
      readonly name: string;
      readonly file: string;
      readonly nodes: readonly ({
        readonly name: string;
        readonly type: string;
        readonly line?: number | undefined;
        readonly members?: readonly {
          readonly name: string;
          readonly type: string;
        }[] | undefined;
        readonly item?: {
          readonly name: string;
          readonly type: string;
        } | undefined;
      })[];
    };
  };
  /** A sub-workflow ended well. */
  readonly subworkflow_completed: {
    readonly agent_name: string;
    readonly key: string;
    readonly slot: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly elapsed: number;
    readonly degraded: boolean;
    readonly termination_reason?: string | undefined;
    readonly terminated_by?: string | undefined;
    readonly is_explicit?: boolean | undefined;
    readonly status?: "success" | "failed" | undefined;
  };
  /** A sub-workflow ended badly. */
  readonly subworkflow_failed: {
    readonly agent_name: string;
    readonly key: string;
    readonly slot: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly elapsed: number;
    readonly error_type: string;
    readonly message: string;
    readonly error?: Envelope | undefined;
    readonly termination_reason?: string | undefined;
    readonly terminated_by?: string | undefined;
    readonly is_explicit?: boolean | undefined;
    readonly status?: "success" | "failed" | undefined;
  };
  /** The run used up `max_iterations`. */
  readonly iteration_limit_reached: {
    readonly current_iteration: number;
    readonly max_iterations: number;
    readonly agent_name: string;
    readonly agent_history: readonly string[];
  };
  /** A person allowed more iterations. */
  readonly iteration_limit_resolved: {
    readonly additional_iterations: number;
  };
  /** The run spent more than `budget_usd`. */
  readonly budget_exceeded: {
    readonly budget_usd: number;
    readonly spent_usd: number;
    readonly budget_mode: string;
    readonly agent_name: string;
  };
  /** An error was handed to a person or a service. */
  readonly error_escalated: {
    readonly node: string;
    readonly key?: string | undefined;
    readonly kind: string;
    readonly by: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
    readonly failed?: boolean | undefined;
  };
  /** An escalation did not get through. */
  readonly escalation_failed: {
    readonly node: string;
    readonly key?: string | undefined;
    readonly kind: string;
    readonly message: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A failed step or item was kept for a later try. */
  readonly dead_lettered: {
    readonly node: string;
    readonly key?: string | undefined;
    readonly kind: string;
    readonly letter: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A letter's step or item succeeded. */
  readonly dead_letter_resolved: {
    readonly node: string;
    readonly kind: string;
    readonly letter: string;
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A breaker opened. */
  readonly circuit_opened: {
    readonly breaker: string;
    readonly failures: number;
    readonly retry_after_seconds: number;
  };
  /** A breaker lets probes through. */
  readonly circuit_half_opened: {
    readonly breaker: string;
    readonly failures: number;
  };
  /** A breaker closed. */
  readonly circuit_closed: {
    readonly breaker: string;
    readonly failures: number;
  };
  /** Policies were asked before a step. */
  readonly policy_evaluated: {
    readonly node: string;
    readonly allowed: boolean;
    readonly verdicts: readonly Readonly<Record<string, unknown>>[];
    readonly group?: string | undefined;
    readonly item_key?: string | undefined;
  };
  /** A lifecycle hook ran. */
  readonly hook_ran: {
    readonly hook: string;
    readonly key?: string | undefined;
    readonly ok: boolean;
    readonly text?: string | undefined;
    readonly exit_code?: number | undefined;
    readonly message?: string | undefined;
  };
  /** Something worth knowing happened. */
  readonly warning: {
    readonly node: unknown;
    readonly message: string;
  };
  /** `errors.jsonl` could not be written. */
  readonly errors_jsonl_write_failed: {
    readonly reason: string;
    readonly path: string;
  };
}
