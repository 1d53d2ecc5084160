// A run that this process drives: the only one that may write its journal.
import type { RunEvent } from "../base/events/registry.ts";
import type { RunStatus } from "../base/events/state/state.ts";
import type { LeaseHolder } from "./liveness.ts";
import type { DataText } from "./rows/data-text.ts";
import type { RunFacts } from "./run-index.ts";
import type { RunReader, SecretInputs, SecretsToKeep } from "./run-reader.ts";

/** How a drive ended, as far as lists show it. */
export interface RunEnding {
  /** The workflow's name as the journal has it. */
  readonly workflow?: string;
  readonly failingKind?: string | null;
  /** Milliseconds since 1970; the time of the call when left out and the run does not go on. */
  readonly ended?: number;
  readonly exitCode?: number;
  readonly durationMs?: number;
  readonly costUsd?: number | null;
  readonly resumable?: boolean;
  readonly facts?: RunFacts;
}

export interface Exported {
  /** The number of the newest event there, so that a resume can add what a crash kept from it. */
  readonly lastSeq: number;
  /** How many events it has that are not in the journal: a power cut took the journal's end. */
  readonly lost: number;
}

/** Makes whole lines, each with its end; the same ones each time it is called. */
export type Lines = () => string;

export interface RunLog extends RunReader {
  /** Known to the driver without a query. */
  readonly lastSeq: number;
  /** The dead process from which the run was taken over. */
  readonly takenOver?: LeaseHolder;
  /** Of a fleet: the worker that drives, on whose machine the folder is. */
  readonly worker?: string;
  /** Whether a commit is a way over the network: pure steps need not wait for it. */
  readonly isElsewhere?: boolean;
  /**
   * Records events in one commit. They are numbered by the caller, without gaps, from `lastSeq + 1`. `dataTexts` are the
   * events' data as JSON, so that they are not made twice. `heard`: how far other streams of the run are among them, so
   * that those events are not taken over twice. Throws `LeaseLost` when another process has the run.
   */
  append(
    events: readonly RunEvent[],
    dataTexts?: readonly DataText[],
    heard?: ReadonlyMap<string, number>,
  ): void | Promise<void>;
  /**
   * Called right before a step begins: a process that was suspended since its last write may have lost the run. Returns
   * nothing when the lease was confirmed recently; else a promise, which rejects with `LeaseLost` when another process has it.
   */
  assertLease(): undefined | Promise<void>;
  /** Tells the index of runs that this process goes on with the run; until then a run that was opened is there as it was. */
  takeUp(): void | Promise<void>;
  /** Whether the end of a drive withdraws the questions that the run has asked. */
  readonly closesQuestions?: boolean;
  /** Tells the index of runs how the run ended, or that it goes on. */
  setStatus(status: RunStatus, ending?: RunEnding): void | Promise<void>;
  pin(drive: number, sources: ReadonlyMap<string, string>): void | Promise<void>;
  /**
   * Keeps a keyframe in place of the one before, in a store that keeps them; JSON of an object. Nothing depends on its being
   * there. It is removed when the run is done.
   */
  keepKeyframe?(text: string): void;
  /** Keeps the large texts of an object; gives a copy that reads each of them back when it is looked at. */
  shelve?<Holder extends object>(holder: Holder): Holder;
  /** Those that were there are replaced. */
  saveSecrets(secrets: SecretInputs): void | Promise<void>;
  /** Added to those that were there. */
  keepMet(met: SecretsToKeep): void | Promise<void>;
  /**
   * Of a run that is done: writes its events anew as `shown` gives them, and removes the secrets that were kept. `shown` is
   * called with each event in order, and gives it without secrets under the same number.
   */
  forgetSecrets(shown: (event: RunEvent) => RunEvent): void | Promise<void>;
  /** Lines for `events.jsonl`, redacted by the caller; written now and then. `length` says about how long they will be. */
  exportEvents(lines: Lines, length: number): void;
  /** What `events.jsonl` has of the run. What the journal knows nothing of is taken out of it. */
  exported(): Exported;
  /** Writes exported lines that still wait. */
  flush(): void;
  appendErrors(line: string): void;
  /** Gives the lease back and closes everything; the run can be driven by others from now on. */
  release(): void | Promise<void>;
}
