// What every call of the library can be given.
import type { Provider } from "../providers/provider.ts";
import type { Definition } from "../services/defined/definition.ts";
import type { OwnStep } from "../services/own-steps/own-step.ts";
import type { Store } from "./store.ts";

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
