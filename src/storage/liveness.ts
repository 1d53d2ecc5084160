// Which process holds something, and whether it is still alive: what a dead process held is free again.
import type { Awaitable } from "../base/awaitable.ts";

export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /**
   * Tells this process from a later one with the same pid, and where that pid means it: the boot and the PID namespace,
   * as far as the system has them.
   */
  readonly start: string;
}

export interface LeaseHolder extends ProcessIdentity {
  /** ISO times: when it took the run, and when it was last heard of. */
  readonly since: string;
  readonly heard: string;
  /** On a fleet: the name that its worker was given. */
  readonly worker?: string;
}

/** A process as one word, as tables keep it. */
export type ProcessName = string;

export interface Liveness {
  /** This process; from now on it gives signs of life, which are all that others on other machines have to go by. */
  self(): Awaitable<ProcessName>;
  isAlive(owner: ProcessName): Awaitable<boolean>;
  /** Whether the holder of a run still drives it. */
  holderIsAlive(holder: LeaseHolder, now?: number): Awaitable<boolean>;
}
