// Results kept across runs, for steps with `cache:`. A host may keep them far away: it answers at once or with a promise.
import type { AgentChanges } from "../base/errors/index.ts";
import type { FileDigest } from "../base/events/step-files.ts";

export interface KeptOutcome {
  readonly output: unknown;
  readonly changes?: AgentChanges | undefined;
  /** Of a script: the files that it ran or named, as they were. */
  readonly files?: readonly FileDigest[];
}

export interface CachedOutcome extends KeptOutcome {
  /** The run that it comes from. */
  readonly runId: string;
}

export interface OutcomeCache {
  get(hash: string): CachedOutcome | undefined | Promise<CachedOutcome | undefined>;
  put(hash: string, outcome: KeptOutcome, ttlSeconds: number | undefined): void | Promise<void>;
}
