// From what the library was given to what services ask for. Not part of the public types: these need more than users have.
import type { HostClock } from "../hosts/clock.ts";
import { definitionFile } from "../services/defined/definition.ts";
import { environmentHere } from "../services/session/environment-here.ts";
import type { Extensions } from "../services/session/extensions.ts";
import type { Session } from "../services/session/session.ts";
import { isThroughClient } from "./called-as.ts";
import type { Options } from "./options.ts";
import { CLIENT_USER, LIBRARY_USER } from "./reader.ts";
import type { Clock } from "./run-options.ts";

export const sessionOf = (options: Pick<Options, "cwd" | "env">): Session => ({
  cwd: options.cwd ?? process.cwd(),
  env: environmentHere(options.env),
  reader: isThroughClient(options) ? CLIENT_USER : LIBRARY_USER,
});

export async function extensionsOf({
  steps = [],
  providers = [],
  workflows = [],
  cwd,
  clock,
}: Options & { readonly clock?: Clock }): Promise<Extensions> {
  const { extensionsFrom } = await import("../services/session/extensions.ts");
  const time = clock ? { clock: hostClock(clock) } : {};
  if (steps.length === 0 && workflows.length === 0) return { ...(await extensionsFrom({ providers })), ...time };
  const { endedBySignal } = await import("../services/own-steps/patience.ts");
  const bounded = steps.map((own) => ({
    ...own,
    execute: endedBySignal(own.execute, () => `\`execute\` of the step type ${own.type}`),
  }));
  const own = { ...(await extensionsFrom({ steps: bounded, providers })), ...time };
  if (workflows.length === 0) return own;
  const { definedFiles, withDefined } = await import("../services/defined/defined-files.ts");
  return workflows.reduce<Extensions>((all, definition) => {
    const { defined, functions } = definedFiles(definition, definitionFile(definition, cwd));
    const ending = [...functions].map(
      ([name, run]) => [name, endedBySignal(run, ({ node }) => `the function of the step ${node}`)] as const,
    );
    return withDefined(all, { defined, functions: new Map(ending) });
  }, own);
}

const hostClock = (clock: Clock): HostClock => ({
  now: () => clock.now(),
  sleep: (ms, signal) => clock.sleep(ms, signal),
  after(ms, run) {
    if (clock.after) return clock.after(ms, run);
    const off = new AbortController();
    void clock.sleep(ms, off.signal).then(() => {
      if (!off.signal.aborted) run();
    });
    return () => off.abort();
  },
});
