// What every call of the library can be given, and how services are told of it.
import type { Provider } from "../providers/provider.ts";
import type { Extensions } from "../services/extensions.ts";
import type { Surroundings } from "../services/request.ts";
import { type Clock, hostClock } from "./clock.ts";
import type { OwnStep } from "./define-step.ts";

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

export const surroundingsOf = ({ cwd, env }: Options): Surroundings => ({
  cwd: cwd ?? process.cwd(),
  env: env ?? process.env,
});

export async function extensionsOf({
  steps = [],
  providers = [],
  clock,
}: Options & { readonly clock?: Clock }): Promise<Extensions> {
  const byName = <Value, Made>(all: readonly Value[], name: (one: Value) => string, make: (one: Value) => Made) =>
    Object.fromEntries(all.map((one) => [name(one), make(one)]));
  const own = steps.length === 0 ? undefined : await import("./own-step-type.ts");
  return {
    ...(own
      ? {
          stepTypes: byName(steps, ({ type }) => type, own.languageEntry),
          executors: byName(steps, ({ type }) => type, own.executorOf),
        }
      : {}),
    ...(providers.length > 0
      ? {
          providers: byName(
            providers,
            ({ name }) => name,
            (one) => one,
          ),
        }
      : {}),
    ...(clock ? { clock: hostClock(clock) } : {}),
  };
}
