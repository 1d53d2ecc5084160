// What every call of the library can be given.
import type { Provider } from "../providers/provider.ts";
import type { Result } from "../results/result.ts";
import type { RunSummary, RunSummaryStatus } from "../results/run-summary.ts";
import type { Definition } from "../services/defined/definition.ts";
import type { OwnStep } from "../services/own-steps/own-step.ts";
import type { RunEvent } from "./event.ts";

export interface Store {
  /** The folder; of a fleet, where files of its runs are on this machine. */
  readonly home: string;
  /** Of a fleet: the address of its Postgres. */
  readonly fleet?: string;
  /** Newest first. */
  runs(filter?: {
    readonly status?: RunSummaryStatus;
    readonly workflow?: string;
    readonly limit?: number;
  }): Promise<readonly RunSummary[]>;
  /** The result of a run as it stands. */
  result(run: string): Promise<Result>;
  /** Its events; with `follow` until it ends. */
  events(
    run: string,
    options?: { readonly after?: number; readonly follow?: boolean; readonly signal?: AbortSignal },
  ): AsyncIterable<RunEvent>;
  /** Stops a run that another process drives, or closes one that waits; it stays resumable. */
  cancel(run: string): Promise<Result>;
}

/** The folder of a store, the address of a Postgres, or what `openStore` gave. */
export type StoreAddress = string | Pick<Store, "home" | "fleet">;

/** Where a call about runs stands. */
export interface StoreOptions {
  /** What paths are shown relative to; the process's own folder when left out. */
  readonly cwd?: string;
  /** The environment whose secrets are hidden; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the runs are kept; the command line's store when left out. */
  readonly store?: Pick<Store, "home" | "fleet">;
}

/** Where a call stands, and what it brings along. */
export interface Options {
  /** What relative paths are relative to; the process's own when left out. */
  readonly cwd?: string;
  /** The environment that files and scripts see; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Own step types. */
  readonly steps?: readonly OwnStep[];
  /** Own providers. */
  readonly providers?: readonly Provider[];
  /** Workflows that are defined in code, for what finds them by a run or a scenario; those that are run are known. */
  readonly workflows?: readonly Definition[];
}
