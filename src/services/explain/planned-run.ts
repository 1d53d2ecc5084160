// A step or group that a resume would run.
export interface PlannedRun {
  readonly node_id: string;
  readonly path: readonly string[];
  readonly why: string;
  /** Of a group: how many of its members. */
  readonly members?: number;
}
