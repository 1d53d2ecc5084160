// What can go wrong with a store, said to people: what, where, why, what next. Every host throws these.

export type StoreFault = "readonly" | "full" | "locked" | "corrupt" | "io" | "missing" | "newer" | "ambiguous";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreFault;
  /** The file, folder or database it is about. */
  readonly path: string;

  constructor(code: StoreFault, message: string, path: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
  }
}

/** Another process drives the run. */
export class LeaseHeld extends Error {
  override readonly name = "LeaseHeld";
  readonly runId: string;
  readonly host: string;
  readonly pid: number;
  /** ISO time at which that process took the run. */
  readonly since: string;

  constructor(runId: string, holder: { readonly host: string; readonly pid: number; readonly since: string }) {
    super(
      `Run ${runId} is being driven by process ${holder.pid} on ${holder.host}, since ${holder.since}. Wait for it to end, or stop it.`,
    );
    this.runId = runId;
    this.host = holder.host;
    this.pid = holder.pid;
    this.since = holder.since;
  }
}

/** This process drove the run until another one, thinking it dead, took it over. Nothing more may be written. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
  readonly runId: string;

  constructor(runId: string) {
    super(
      `Run ${runId} was taken over by another process while this one did not answer. It goes on there; this process stops.`,
    );
    this.runId = runId;
  }
}
