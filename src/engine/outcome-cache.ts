// Results kept across runs, for steps with `cache:`. A host may keep them far away: it answers at once or with a promise.

export interface CachedOutcome {
  readonly output: unknown;
  /** The run that it comes from. */
  readonly runId: string;
}

export interface OutcomeCache {
  get(hash: string): CachedOutcome | undefined | Promise<CachedOutcome | undefined>;
  put(hash: string, output: unknown, ttlSeconds: number | undefined): void | Promise<void>;
}
