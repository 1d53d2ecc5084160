// A line of execution of a drive: its root workflow, or one branch of a group.

/** `clock`: the wait ends by itself. `person`: only an answer ends it. */
export type WaitsFor = "clock" | "person";

export interface Fiber {
  /**
   * Runs `wait`, and gives this branch's place in its group to another branch until `wait` has ended. The promise resolves
   * when the branch has a place again.
   */
  waiting<Value>(what: WaitsFor, wait: () => Promise<Value>): Promise<Value>;
}
