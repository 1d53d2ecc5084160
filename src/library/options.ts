// What every call of the library can be given.
import type { Provider } from "../providers/provider.ts";
import type { OwnStep } from "./own-step.ts";

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
}
