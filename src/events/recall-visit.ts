// One visit while it is folded, and the two ways in which what is known of it ends.
import type { LastOutcome, PastFailure, Recorded, RecordedQuestion } from "./recorded.ts";

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

export interface Visit extends Writable<Omit<Recorded, "spentRetries" | "last" | "branches" | "failures">> {
  spentRetries: Record<number, number>;
  branches?: Map<string, { readonly ok: boolean; readonly round: number }> | undefined;
  last?: (Writable<Omit<LastOutcome, "dealtWith">> & { dealtWith?: true | undefined }) | undefined;
  failures?: PastFailure[] | undefined;
  /** The question that a gate asked last. */
  asked?: RecordedQuestion;
  /** The questions of a list that were asked last, by id, each as JSON with the list's prompt. */
  askedItems?: ReadonlyMap<string, string>;
  /** `path/group`, for a member. */
  group?: string;
}

export const newVisit = (): Visit => ({ attempts: 0, started: 0, discarded: 0, retried: 0, spentRetries: {} });

/** The visit is over; a resume begins a new one under the same key. What was tried stays counted. */
export function discard(visit: Visit): void {
  visit.discarded += visit.attempts;
  visit.attempts = 0;
  visit.started = 0;
  visit.spentRetries = {};
  visit.retry = undefined;
  visit.failures = undefined;
}

/** Nothing of it is reused any more. */
export function forget(visit: Visit): void {
  discard(visit);
  visit.last = undefined;
  visit.answer = undefined;
  visit.branches = undefined;
  visit.waitingSince = undefined;
}

/** An error whose routes a resume had to read is told again; it is one failure. */
export function fail(visit: Visit, { attempts, kind, message }: PastFailure): void {
  visit.failures ??= [];
  if (visit.failures.at(-1)?.attempts !== attempts) visit.failures.push({ attempts, kind, message });
}
