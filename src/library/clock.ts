// Time as a run is given it.

/** A clock; replace it in tests so that waits and retries take no time. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after so many milliseconds, unless it is called off. Made from `sleep` when left out. */
  after?(ms: number, run: () => void): () => void;
}
