// Who calls the outside: one attempt at a step, with what it knows of itself and what it may use.
import type { Raised } from "../base/errors/index.ts";
import type { EventData, EventType } from "../base/events/registry.ts";
import type { ReportedLimit } from "../providers/provider.ts";
import type { PatternDialect } from "./patterns/search.ts";

export interface Skill {
  readonly name: string;
  /** Its files: SKILL.md first, then its references. */
  readonly parts: readonly { readonly name: string; readonly text: string }[];
}

/** Stands between two instructions in a file with `agents:`, and between files of a skill. */
export const BETWEEN_INSTRUCTIONS = "\n\n---\n\n";

/** What the step's file means where the dialects differ; `language/schema/semantics.ts` says what each field means. */
export interface FileRules {
  readonly patterns: PatternDialect;
  readonly signalCodes: "negative" | "shell";
  readonly holdsScriptsToOutput: boolean;
  readonly numbersQuestions: boolean;
  readonly framesInstructions: boolean;
}

export interface WorkflowPlace {
  readonly name: string;
  /** Absolute path of the step's own file, and its folder. */
  readonly file: string;
  readonly dir: string;
  /** Folder of the root workflow's file: where scripts run by default. */
  readonly rootDir: string;
  readonly runtime: Readonly<Record<string, unknown>>;
  readonly rules?: FileRules;
  /** `workflow.instructions` as text: stands before every agent's prompt. */
  readonly instructions?: string;
  /** What each entry of `skills` stands for. */
  readonly skills?: ReadonlyMap<string, readonly Skill[]>;
  /** Whom agents ask, whatever the files say: `--provider`. */
  readonly provider?: string;
  /** `cost.pricing`, over that of the files that called this one. */
  readonly pricing?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** `runtime.mcp_servers` of the nearest file on the way up that has some, and that file's folder. */
  readonly mcp?: { readonly servers: Readonly<Record<string, unknown>>; readonly dir: string };
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts (the caller looks at the signal). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once so much time has passed, unless it is called off. A deadline alone never makes virtual time pass. */
  after(ms: number, run: () => void): () => void;
}

export interface SkippableWait {
  readonly skipped: AbortSignal;
  end(): void;
}

/** Breakers of what an agent calls, asked before each call and informed after it; `step-type.ts` names their targets. */
export interface CallBreakers {
  /** Why the call must not be made; nothing when it may. `hasOther`: the caller can call something else, so it does not wait. */
  admit(target: string, hasOther?: boolean): Raised | undefined | Promise<Raised | undefined>;
  report(target: string, error: Raised | undefined): void | Promise<void>;
}

export interface CallTurn {
  /** There is none soon: a server refuses calls for `by` until then, in epoch milliseconds. The call is not to be made. */
  readonly closed?: { readonly until: number; readonly by: string; readonly limit: string };
  /** Called when the call has ended, with what it used and what its server reported. */
  end(call: { readonly inputTokens: number; readonly limits: readonly ReportedLimit[] }): Promise<void>;
}

/** Limits of one's own on calls to models: each call waits for its turn. */
export interface CallTurns {
  take(target: { readonly provider: string; readonly model: string }, caller: Caller): Promise<CallTurn>;
}

export interface EarlierSession {
  readonly id: string;
  readonly provider: string;
  /** This very attempt was cut off in it. */
  readonly interrupted: boolean;
  /** The last one under this step's `session_key`. */
  readonly named?: string;
}

export interface GivenPermission {
  readonly what: string;
  readonly allowed: boolean;
  readonly by: string;
  readonly at: string;
}

export interface PermissionGate {
  readonly given: readonly GivenPermission[];
  /** `later`: no one to ask; the run pauses when the step has ended. */
  ask(what: string): Promise<"allow" | "deny" | "later">;
}

/** An attempt, but for the outside itself. */
export interface Caller {
  readonly node: string;
  /** Stable key of the step's visit: `build[3].test#2`. */
  readonly key: string;
  readonly attempt: number;
  /** Sub-workflow path of the step, for qualified names (`child/reviewer`). */
  readonly path: readonly string[];
  readonly workflow: WorkflowPlace;
  /** Aborts on timeout, cancel and fail_fast. The executor ends what it started and returns; the engine knows why. */
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  readonly clock: Clock;
  /** Folder for spilled outputs; made when first needed. */
  readonly spillDir: string;
  /** Whose machine that folder is on, when it may be another than the reader's: a worker's name. */
  readonly worker?: string;
  /** Of a wait that a crash cut off: since when, in epoch milliseconds. */
  readonly waitingSince?: number;
  /** Begins a wait that a person can end; absent: no one can. */
  beginWait?(): SkippableWait | undefined;
  /** Absent when the file has no breakers for what is called. */
  readonly breakers?: CallBreakers;
  /** Absent when nothing is shared with other runs, as in scenarios. */
  readonly turns?: CallTurns;
  /** Says something to a person and gives the reply, null when they have nothing more to say. Absent: no one to ask. */
  ask?(prompt: string): Promise<string | null>;
  /** Sessions of this visit, or under its `session_key`, in earlier drives. */
  readonly session?: EarlierSession;
  /** Absent: no one is asked. */
  readonly permissions?: PermissionGate;
  /** What is left of the budgets that are enforced; nothing when there is none. */
  budgetLeftUsd?(): number | undefined;
  /** Resolves when all that was reported so far is on record. */
  recorded?(): Promise<void>;
  /** Checks that the run is still this process's: at once when it surely is, else a promise (see steps/when-ours.ts). */
  assertLease(): undefined | Promise<void>;
  emit<Type extends EventType>(type: Type, data: EventData<Type>): void;
}

/** Commands and requests of the file that belong to no step: hooks, and the escalation of errors. */
export const isBesideSteps = ({ node }: Pick<Caller, "node">): boolean =>
  node.startsWith("hooks.") || node === "resilience.escalate";
