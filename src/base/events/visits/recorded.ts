// What a resume knows of the drives before: the whole run's counters, and each visit's outcome by key.
import type { AgentChanges, Envelope } from "../../errors/index.ts";
import type { EventData } from "../registry.ts";
import type { FileDigest } from "../step-files.ts";

export interface Recall {
  get(key: string): Recorded | undefined;
  /** Budgets of `retry` with `to`, which last for the run: `step:route`, with the sub-workflow path before it (`plan/step:0`). */
  readonly retryVia: ReadonlyMap<string, number>;
  /** What could be priced, over all drives. */
  readonly spentUsd: number;
  /** The same for what happened under keys that begin like this: one sub-workflow's. */
  spentIn(prefix: string): number;
  /** Milliseconds that the run was driven, without the time in between. */
  readonly activeMs: number;
  readonly drives: number;
  /** The last session of agents under a `session_key`. */
  readonly namedSessions: ReadonlyMap<string, string>;
  /** Whether a lifecycle hook ran for the ending, or the beginning, that its workflow is at. */
  hookRan(key: string): boolean;
  /** Visits of which something may still run: they were cut off, or a process of theirs was not recorded to end. */
  leftRunning(): readonly LeftRunning[];
  /** What a group's members, and what ran in their place, used up in all rounds of this visit. */
  usedInside(group: string): readonly UsedByMember[];
  /** Files of all visits inside this container: see `Recorded.files`. */
  filesInside(key: string): readonly FileDigest[];
}

/** One visit inside a group. */
export interface UsedByMember {
  /** Of its member or item, in its round. */
  readonly branch: string;
  readonly node: string;
  readonly executions: number;
  /** The routes by which it was retried by way of another step: their budgets last for the run. */
  readonly via: readonly number[];
}

export interface LeftRunning extends Pick<Recorded, "spawned" | "wasCutOff"> {
  readonly key: string;
  readonly node: string;
  readonly path: readonly string[];
  readonly type: string;
  /** The number under which the attempt ran: see `idempotencyKey`. */
  readonly ordinal: number;
}

/** What is known of one visit of a step. */
export interface Recorded {
  /** Attempts that ended on this visit. */
  readonly attempts: number;
  /** The highest attempt that began, over all drives; one that began and never ended was cut off by a crash or a cancel. */
  readonly started: number;
  /** Whether the last attempt began and was not recorded to end: what it started may still run. */
  readonly wasCutOff: boolean;
  /** Attempts before an unhandled failure of the run: the resume after it is a new visit. */
  readonly discarded: number;
  /** Plain retries over the whole run: each is a fresh child of a `workflow` step, and a new round of a group. */
  readonly retried: number;
  /** How many of these came before an unhandled failure of the run, or an edit: what ran up to them does not count. */
  readonly roundsOver: number;
  /** Of a group: how each branch ended last, by member or item, and in which round. */
  readonly branches?: ReadonlyMap<string, RecordedBranch>;
  readonly last?: LastOutcome;
  /** How the attempt before the last one failed. */
  readonly earlier?: LastOutcome;
  /** A wait that had not ended. */
  readonly retry?: RecordedRetry;
  /** The retry that its last failure was answered with, whether or not it began: the next drive decides that again. */
  readonly answeredWith?: RecordedRetry;
  /** Retries used on this visit by route index; those of a `resilience` policy under `POLICY_ROUTE`. */
  readonly spentRetries: Readonly<Record<number, number>>;
  /** The kind that each of these routes took last: routes may stand elsewhere after an edit. */
  readonly retriedKinds?: Readonly<Record<number, string>>;
  /** Attempts of this visit that a provider's limit refused and that waited for its reset: no limit counts them. */
  readonly resetWaits: number;
  /** How the attempts of this visit failed so far. */
  readonly failures?: readonly PastFailure[];
  /** Files that its last attempt ran or named and did not change itself, as they were before it. */
  readonly files?: readonly FileDigest[];
  /** The drive in which its last attempt ended. */
  readonly endedIn?: number;
  /** A process that was running when the journal stopped. */
  readonly spawned?: { readonly pid: number; readonly started_at: string };
  /** The session in which an agent was interrupted. */
  readonly session?: { readonly id: string; readonly provider: string };
  readonly answer?: RecordedAnswer;
  /** What was asked last, answered or not. */
  readonly question?: RecordedQuestion;
  /** Of a wait that had not ended: since when, in epoch milliseconds. */
  readonly waitingSince?: number;
  /** A call waited for this breaker, since then in epoch milliseconds. `isAll`: its attempt had done nothing else. */
  readonly held?: { readonly breaker: string; readonly since: number; readonly isAll: boolean };
  /** Of one whose attempt was left without an end, by a crash or for its time to come: when that attempt began. */
  readonly waitLeftSince?: number;
  /** A question that had no answer, and when it was asked first, unless that was in the run's first drive. */
  readonly asked?: { readonly at: string | undefined };
  /** Of the same: until when one counts, in epoch milliseconds. */
  readonly deadline?: number;
  /** Of the same: a notice that it waits was sent. */
  readonly isNotified?: true;
}

export interface RecordedBranch {
  readonly ok: boolean;
  readonly round: number;
}

/** A type, not an interface: it is kept as plain data. */
export type PastFailure = Pick<Envelope, "attempts" | "kind" | "message">;

export interface LastOutcome {
  readonly ok: boolean;
  readonly hash?: string;
  readonly definition?: string;
  readonly output: unknown;
  readonly changes?: AgentChanges | undefined;
  readonly error?: Envelope;
  /** Of a failure: when it was recorded. */
  readonly failedAt?: string;
  /** Seconds. */
  readonly elapsed: number;
  /**
   * What took care of a failure; `again`: a plain retry, `retry`: one by way of another step, `group`: its group went on
   * without it, or a route of the group did. Absent: nothing yet.
   */
  readonly routed?: "to" | "again" | "retry" | "halt" | "propagate" | "escalate" | "dead_letter" | "group";
  /** It was kept as a letter, or escalated: that is not done again. */
  readonly escalatedOrKept?: true;
  /** A schema violation of a step that did not opt in: no route is read for it. */
  readonly unopted?: true;
  /** How the breaker of what was called stood then; absent: closed, or there was none. */
  readonly breaker?: "open" | "half_open";
}

export interface RecordedRetry {
  /** Epoch milliseconds. */
  readonly until: number;
  /** The whole wait, in milliseconds: a clock that was set back cannot make it longer. */
  readonly delay: number;
  readonly attempt: number;
  /** Which of the retries that its route, or the policy, allows. */
  readonly nth?: number;
  readonly max?: number;
  /** It waits for a limit of a provider to be reset. */
  readonly isReset: boolean;
  readonly route: number;
  readonly by: "route" | "resilience";
  readonly via?: string;
}

export type RecordedQuestion = Pick<EventData<"gate_presented">, "prompt" | "options" | "about">;

export interface RecordedAnswerOne {
  readonly answer: unknown;
  readonly source: string;
  /** The question that it was given to, as `questionText` writes it. */
  readonly question?: string;
}

/** All that a person saw of one question of a list: an answer counts while this is the same. */
export const questionText = (prompt: string | undefined, question: object, about?: string): string =>
  JSON.stringify([prompt ?? null, question, about]);

/** Reads what `questionText` wrote, for display. */
export function askedIn(text: string): {
  readonly prompt: string | null;
  readonly question: Readonly<Record<string, unknown>>;
} {
  const [prompt, question] = JSON.parse(text) as [string | null, Record<string, unknown>];
  return { prompt, question };
}

export type RecordedAnswer =
  | {
      readonly kind: "gate";
      /** What was asked: an answer to another question is none. */
      readonly question?: RecordedQuestion;
      readonly selected: string;
      readonly route: string | null;
      readonly additional_input: Readonly<Record<string, unknown>>;
      readonly answered_by: string;
      /** ISO time. */
      readonly at: string;
    }
  | {
      readonly kind: "questions";
      readonly answers: Readonly<Record<string, RecordedAnswerOne>>;
      /** Once the list is done: how it ended, and who answered it. */
      readonly outcome?: string;
      readonly answered_by?: string;
    };

export const POLICY_ROUTE = -1;
