// The object that comes back from every command, tool and request, the exit codes, and a run as lists show it. schema.ts
// says the first in JSON Schema; a property test holds the two together.
import type { Category, Envelope, Frame, GroupPlace, KindOwner, RaisedAt } from "../errors/index.ts";
import type { NodeAction, StepStatus } from "../events/node-types.ts";
import type { ListedChanges } from "../events/step-files.ts";

export const RESULT_SCHEMA = "segno.result/1";

export type ResultStatus =
  | "valid"
  /** On a fleet: no worker has begun it yet. */
  | "queued"
  | "running"
  | "completed"
  | "degraded"
  | "terminated"
  | "failed"
  | "paused"
  | "cancelled"
  | "invalid";

export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

/** What every answer begins with, those of `dlq`, `runs`, `gate` … included. */
export interface Head {
  readonly schema: typeof RESULT_SCHEMA;
  readonly success: boolean;
  /** null only while the run is still going on. */
  readonly exit_code: ExitCode | null;
  readonly error: string | null;
  readonly errors: readonly Entry[];
  readonly warnings: readonly Entry[];
}

/** A list, and what is missing from it. */
export interface ListHead extends Head {
  /** Only where something is missing: the cells that did not answer. What they have is not in the list. */
  readonly incomplete?: { readonly cells: readonly string[] };
}

export interface Result extends Head {
  readonly status: ResultStatus;
  /** Of a run that its own workflow ended: groups went on without some of their members. */
  readonly degraded?: true;
  readonly run_id: string | null;
  /** What the run is called; absent where it has no name. */
  readonly name?: string;
  readonly workflow: string | null;
  readonly file: string | null;
  readonly output: unknown;
  readonly checkpoint: Checkpoint | null;
  readonly execution: Execution | null;
  readonly metrics: Metrics | null;
  readonly termination: ResultTermination | null;
  readonly gate: ResultGate | null;
  /** All open questions, when there is more than one (a gate in a for_each asks once per item). */
  readonly gates?: readonly ResultGate[];
  readonly artifacts: Artifacts | null;
}

export interface Place {
  /** As shown to the user: relative to where they stand. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Of a finding: just after its last character. */
  readonly end?: { readonly line: number; readonly column: number };
  /** The field of the step that holds it, when that is known: `headers.b`. */
  readonly field?: string;
}

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One thing that went wrong, with what an agent needs to act on it. */
export interface Entry {
  readonly source: "runtime" | "validation";
  /** null for a warning that is no failure. */
  readonly category: Category | null;
  readonly kind: string | null;
  readonly message: string;
  readonly node_id: string | null;
  readonly action: NodeAction | null;
  readonly fixable: boolean;
  readonly retryable: boolean;
  readonly owner: KindOwner | null;
  readonly hint?: string;
  readonly suggestions?: readonly string[];
  readonly location?: Place;

  /** Of endings that are no envelope, and of a schema violation of a step that did not opt in. */
  readonly error_type?: string;
  /** Of findings, and of warnings that a quiet command says too. */
  readonly rule?: string;
  readonly via?: readonly string[];
  /** Sub-workflows it happened in, for warnings from below the root. */
  readonly path?: readonly string[];
  /** Of members of a group. */
  readonly group?: string;
  readonly item_key?: string;
  /** Of members of a group inside a group: the place in each, outermost first. */
  readonly items?: readonly GroupPlace[];
  /** Of recovered errors: the step that handled it, and how often it happened at this place when more than once. */
  readonly recovered_by?: string;
  readonly count?: number;

  readonly details?: Readonly<Record<string, unknown>>;
  readonly raised_at?: RaisedAt;
  readonly propagated?: readonly Frame[];
  readonly attempts?: number;
  readonly cause?: Envelope | null;

  /** Of an HTTP error: what was sent, as it was rendered. A JSON body is a value. */
  readonly request?: SentRequest;
  readonly status_code?: number;
  readonly raw_response?: unknown;
  readonly response_headers?: Readonly<Record<string, unknown>>;
  readonly response_time?: number;

  readonly shell_command?: string;
  readonly shell_exit_code?: number | null;
  readonly shell_stdout?: string;
  readonly shell_stderr?: string;

  readonly mcp_error_details?: { readonly server: string | null; readonly tool: string | null };
  readonly mcp_error?: { readonly code: number | string | null; readonly message: string; readonly data?: unknown };

  readonly expression?: string;
  readonly missing?: string;
  readonly available_fields?: readonly string[];
  readonly available_fields_total?: number;
  readonly available_fields_truncated?: boolean;
  readonly trace_file_hint?: string;
}

export interface Checkpoint {
  readonly completed_nodes: readonly string[];
  readonly node_actions: Readonly<Record<string, NodeAction>>;
  readonly node_hashes: Readonly<Record<string, string>>;
  readonly failed_node: string | null;
  readonly resumable: boolean;
  /** What goes on with it, in its reader's words: a command, a tool, a function; null when nothing can. */
  readonly resume: string | null;
}

export interface Execution {
  readonly duration_ms: number | null;
  readonly nodes_executed: number;
  readonly nodes_total: number;
  readonly steps: readonly StepReport[];
}

export interface StepReport {
  readonly node_id: string;
  readonly type?: string;
  readonly status: Exclude<StepStatus, "cut_off">;
  /** Of one that is cancelled: its process went away while it ran; it was not stopped. */
  readonly cut_off?: true;
  readonly duration_ms: number | null;
  readonly cached: boolean;
  readonly repaired: boolean;
  readonly attempts: number;
  readonly kind?: string;
  /** Of a script that counts as done although it exited with another code than 0. */
  readonly exit_code?: number;
  /** Of an agent that works in a folder: the files that it changed there, with the lines that came and went. */
  readonly changes?: ListedChanges;
  /** Of an item of a for_each. */
  readonly item_key?: string;
  readonly tokens?: Tokens;
  readonly cost_usd?: number | null;
  readonly steps?: readonly StepReport[];
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly reasoning?: number;
}

export interface Metrics {
  readonly duration_ms: number | null;
  readonly nodes_executed: number;
  /** null when a model's price is not known; `unpriced_models` names it. */
  readonly total_cost_usd: number | null;
  readonly tokens: Tokens;
  readonly by_model: Readonly<Record<string, { readonly tokens: Tokens; readonly cost_usd: number | null }>>;
  readonly unpriced_models: readonly string[];
  /** Models that the price list does not know: their cost is an estimate. */
  readonly estimated_models?: readonly string[];
}

export interface ResultTermination {
  readonly status: "success" | "failed";
  readonly reason: string;
  readonly terminated_by: string;
}

export interface ResultGate {
  readonly node_id: string;
  /** What to answer it by: `each[eu]`, `release/approve`. */
  readonly name: string;
  readonly key: string;
  readonly path: readonly string[];
  readonly kind: "gate" | "questions";
  readonly prompt: string;
  readonly options: readonly {
    readonly label: string;
    readonly value: string;
    readonly route?: string;
    readonly description?: string;
    readonly prompt_for?: string;
    readonly multiline?: boolean;
    readonly prompt_optional?: true;
  }[];
  readonly questions?: readonly Readonly<Record<string, unknown>>[];
  /** Whose answer counts; absent where anybody's does. */
  readonly approvers?: readonly string[];
  /** Whose does not, with four_eyes: who started the run or changed it. */
  readonly not_by?: readonly string[];
  /** Until when an answer counts, as an ISO time; absent if there is no end. */
  readonly deadline?: string;
  /** The answer is stored, and no drive has taken it yet. */
  readonly answered?: true;
  /** Who may answer, in a sentence. */
  readonly who: string;
  /** What answers it, in the reader's words. */
  readonly answer: string;
}

/** Absolute paths. */
export interface Artifacts {
  readonly events_jsonl: string;
  /** Null while there is no unhandled error. */
  readonly errors_jsonl: string | null;
  readonly run_dir: string;
}

export interface ExitCodeLine {
  readonly code: ExitCode;
  /** Follows "exit code N:". */
  readonly when: string;
}

export const EXIT_CODES: readonly ExitCodeLine[] = [
  { code: 0, when: "success, also a `terminate` with `status: success`" },
  {
    code: 1,
    when: "any other failure: a failed `terminate`, a `halt` that is not `resumable`, a limit, the timeout, a schema violation without opt-in, a broken store",
  },
  {
    code: 2,
    when: "wrong use, and nothing ran: a bad command line, a file or inputs that do not load, an unknown run, one that cannot be resumed, an answer that is no option",
  },
  { code: 3, when: "an unhandled typed error, or a `halt` with `resumable: true`; resumable" },
  { code: 4, when: "stopped at a human gate with no one to ask; resumable" },
  { code: 130, when: "Ctrl-C; resumable" },
];

/** `crashed`: the process that drove it is gone, and recorded no end. */
export type RunSummaryStatus = Exclude<ResultStatus, "valid" | "invalid"> | "crashed";

export const RUN_STATUSES = Object.keys({
  queued: 0,
  running: 0,
  completed: 0,
  degraded: 0,
  terminated: 0,
  failed: 0,
  paused: 0,
  cancelled: 0,
  crashed: 0,
} satisfies Record<RunSummaryStatus, 0>) as readonly RunSummaryStatus[];

export interface RunSummary {
  readonly run_id: string;
  /** What the run is called, where it has a name. */
  readonly name: string | null;
  /** On a fleet that is made of cells: the one that has it. */
  readonly cell?: string;
  readonly workflow: string | null;
  readonly file: string | null;
  readonly status: RunSummaryStatus;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  readonly kind: string | null;
  readonly exit_code: number | null;
  readonly cost_usd: number | null;
  readonly resumable: boolean;
  /** Of a run that no worker will take as things are: why. */
  readonly waits_because?: string;
}
