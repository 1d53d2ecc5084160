// The limits on how far a workflow goes, for who is asked at one of them.

/** By its name in the file. */
export type ReachLimit = "max_iterations" | "max_visits";

/** A limit that the run came to: asked about at the root, where a person may allow more. */
export interface ReachedLimit {
  readonly limit: ReachLimit;
  /** The step that would be the next. */
  readonly node: string;
  readonly executions: number;
  /** Of `node`. */
  readonly visits: number;
}
