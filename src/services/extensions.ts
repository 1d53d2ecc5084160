// What a user of the library adds to runs: own step types, own providers, another clock. Files know them by name.
import type { HostClock } from "../hosts/clock.ts";
import type { ValidateOptions } from "../language/validate.ts";
import type { Provider } from "../providers/provider.ts";
import type { Executor } from "../steps/executor.ts";

export interface Extensions {
  readonly stepTypes?: NonNullable<ValidateOptions["stepTypes"]>;
  /** By step type. */
  readonly executors?: Readonly<Record<string, Executor<never, unknown>>>;
  /** By name; one of a name that Segno has replaces it. */
  readonly providers?: Readonly<Record<string, Provider>>;
  readonly clock?: HostClock;
}

/** What validation has to know of them. */
export const knownTo = ({ stepTypes, providers }: Extensions = {}): ValidateOptions => ({
  ...(stepTypes ? { stepTypes } : {}),
  ...(providers ? { providers: Object.keys(providers) } : {}),
});
