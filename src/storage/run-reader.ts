// Reading a run: at any time, also while another process writes it.
import type { Awaitable } from "../base/awaitable.ts";
import type { RunEvent } from "../base/events/registry.ts";
import type { LeaseHolder } from "./liveness.ts";

/** `process` survives a crash of the process, `power` also a cut of the power: one flush per append. */
export type Durability = "process" | "power";

/** What a run is, from its first moment on. */
export interface RunMeta {
  readonly runId: string;
  readonly workflow: string;
  readonly file: string;
  readonly durability: Durability;
  /** ISO time. */
  readonly created: string;
  /** Of the Segno that made it. */
  readonly version: string;
}

/** Secrets that turned up; the short ones are hidden from fewer characters on, as values of secret inputs are. */
export interface SecretsToKeep {
  readonly secrets: readonly string[];
  readonly shortSecrets: readonly string[];
}

/** Values of secret inputs, by name. */
export type SecretInputs = Readonly<Record<string, unknown>>;

export type Events = Iterable<RunEvent> | AsyncIterable<RunEvent>;

export interface RunReader {
  readonly runId: string;
  /** Where files of the run are on this machine: exported events and errors, big outputs. */
  readonly folder: string;
  readonly meta: RunMeta;
  /** The number of the newest event; 0 when there is none yet. */
  readonly lastSeq: Awaitable<number>;
  /** The events after number `after`, in order, with big values in place: those that are there when the iteration begins. */
  events(after?: number): Events;
  /** What `keepKeyframe` kept last, in a store that keeps keyframes. */
  keyframe?(): string | undefined;
  /** Who has the lease, dead or alive. */
  holder(): Awaitable<LeaseHolder | undefined>;
  /** The files of a drive, of the newest when none is named; empty when nothing was pinned. */
  pinned(drive?: number): Awaitable<Map<string, string>>;
  secrets(): Awaitable<SecretInputs>;
  /** Secrets that turned up in what the run recorded: an event that holds one is recorded after it is kept here. */
  seenSecrets(): Awaitable<SecretsToKeep>;
  /** Where secrets are kept when that is not the run's folder. */
  readonly secretsPlace?: string;
  /** Whether the run has kept secrets, of either kind, that are not there any more. */
  hasLostSecrets(): Awaitable<boolean>;
  /** Whether they were removed on purpose: the run is done, and its events hold none of them. */
  hasForgottenSecrets(): Awaitable<boolean>;
  close(): Awaitable<void>;
}
