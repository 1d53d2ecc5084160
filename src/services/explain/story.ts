// What a run's story is made of: a chapter for each drive, with what ran, what went wrong, and what became of it.
// Plain data: the terminal, MCP and the page tell it in their own way.

import type { StepStatus } from "../../base/events/node-types.ts";
import type { ListedChanges } from "../../base/events/step-files.ts";
import type { Place } from "../../base/results/result.ts";

export interface Chapter {
  readonly drive: number;
  readonly began_at: string;
  /** How the drive before had ended; null for the first. */
  readonly after: string | null;
  /** Milliseconds before this drive in which the run was not driven. */
  readonly idle_ms: number | null;
  readonly file_changed: boolean;
  readonly inputs_changed: readonly string[];
  /** `--from STEP`, `--force`. */
  readonly from?: string;
  readonly force?: boolean;
  /** `--changed-files`. */
  readonly changed_files?: boolean;
  readonly scenes: readonly Scene[];
  readonly troubles: readonly Trouble[];
  /** Breakers, letters, escalations, policies, warnings, in the order in which they happened. */
  readonly notes: readonly Note[];
  /** How it ended; null while it goes on, or when its process recorded no end. */
  readonly end: ChapterEnd | null;
}

export interface ChapterEnd {
  readonly status: "completed" | "degraded" | "terminated" | "failed" | "paused" | "cancelled";
  readonly at: string;
  readonly message: string | null;
}

export type Scene = VisitScene | Loop;

/** Steps that followed one another again and again without trouble. */
export interface Loop {
  readonly times: number;
  readonly scenes: readonly VisitScene[];
}

export const isLoop = (scene: Scene): scene is Loop => "times" in scene;

export type VisitStatus = Exclude<StepStatus, "not_executed"> | "reused";

/** One visit of a step or group, as it is shown. */
export interface VisitScene {
  readonly node_id: string;
  readonly type: string;
  readonly status: VisitStatus;
  readonly attempts: number;
  readonly duration_ms: number;
  /** Of the error it raised last. */
  readonly kind?: string;
  /** In a further drive: why it ran, although an earlier one had. */
  readonly why?: string;
  /** The answer a person gave. */
  readonly answer?: string;
  /** Of an agent: what it asked a person to allow in this drive. */
  readonly requests?: readonly PermissionAsked[];
  /** Why it ended the workflow. */
  readonly reason?: string;
  readonly members?: Members;
  /** Of an agent that works in a folder: the files that it changed there. */
  readonly changes?: ListedChanges;
  /** Of a sub-workflow. */
  readonly scenes?: readonly Scene[];
}

export interface PermissionAsked {
  /** What was asked, in Markdown; `requestLine` makes a line of it. */
  readonly prompt: string;
  /** `allow`, `deny`; absent: there was no answer in this drive. */
  readonly answer?: string;
  readonly answered_by?: string;
}

/** What became of a group's members; the names of those worth naming, twenty at most. */
export interface Members {
  readonly count: number;
  readonly completed: number;
  readonly reused: number;
  readonly failed: number;
  readonly recovered: number;
  readonly cancelled: number;
  readonly failed_names: readonly string[];
  readonly recovered_names: readonly string[];
}

/** Everything that went wrong on one visit, and what was made of it. */
export interface Trouble {
  readonly node_id: string;
  readonly path: readonly string[];
  readonly type: string | null;
  readonly group?: string;
  readonly item_key?: string;
  /** How often, when the same happened at this place again and again. */
  readonly times?: number;
  /** Other members of the group that had the same. */
  readonly alike?: readonly string[];
  /** The errors in order; the same one twice in a row is one, with both attempts. */
  readonly raised: readonly Raising[];
  /** It did not begin here: a group or a sub-workflow hands on what was raised inside. */
  readonly carried: boolean;
  readonly location: Place | null;
  /** That line of the file. */
  readonly source: string | null;
  readonly shell: ShellTail | null;
  readonly retries: readonly Retry[];
  /** The routes as they were read last. */
  readonly routes: readonly RouteRead[];
  /** Why the next route could not be read: its condition could not be evaluated. */
  readonly unreadable?: string;
  readonly ending: TroubleEnding;
}

export interface Raising {
  readonly kind: string;
  readonly message: string;
  readonly attempts: readonly number[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly propagated: readonly { readonly workflow: string; readonly node: string }[];
  readonly cause: { readonly kind: string; readonly message: string; readonly node: string } | null;
}

export interface ShellTail {
  readonly command: string | null;
  readonly exit_code: number | null;
  readonly stderr: string | null;
}

export interface Retry {
  readonly attempt: number;
  /** Which of the retries that its route, or the policy, allows. */
  readonly nth: number;
  /** Absent: as often as needed. */
  readonly max?: number;
  /** It waits for a provider's limit to be reset. */
  readonly until_reset?: true;
  readonly delay_seconds: number;
  readonly by: "route" | "resilience";
  readonly via?: string;
}

/** One route that was read, and why it was taken or not. */
export interface RouteRead {
  readonly table: "step" | "workflow";
  readonly line: number | null;
  /** The route as YAML in one line. */
  readonly text: string;
  readonly taken: boolean;
  readonly verdict: string;
  readonly why: string;
  /** What its condition saw. */
  readonly saw?: Readonly<Record<string, unknown>>;
}

export type TroubleEnding =
  /** `after_end`: the attempt is one of a retry that was asked for after the run's end. */
  | { readonly type: "succeeded"; readonly attempt: number; readonly after_end?: true }
  | { readonly type: "recovered"; readonly by: string }
  | { readonly type: "routed"; readonly to: string }
  /** It led to a terminate step. */
  | { readonly type: "terminated"; readonly by: string; readonly reason: string }
  | { readonly type: "halted" }
  | { readonly type: "went_up" }
  | { readonly type: "to_group"; readonly group: string; readonly went_on: boolean }
  | { readonly type: "unhandled" }
  /** No route was read: the run ended first, or it goes on. */
  | { readonly type: "open" };

export interface Note {
  readonly at: string;
  readonly about: "breaker" | "letter" | "retry" | "escalation" | "policy" | "limit" | "hook" | "warning";
  readonly node_id: string | null;
  readonly message: string;
}
