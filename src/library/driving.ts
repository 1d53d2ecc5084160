// What a call that drives a run was given, in the words of services. Not part of the public types, as services-of.ts.
import type { DriveListeners } from "../services/request.ts";
import { asking, listening } from "./own-functions.ts";
import type { RunOptions } from "./run-options.ts";
import { extensionsOf } from "./services-of.ts";
import { given, STANDING, standingOf } from "./standing.ts";

/** The names of the options that every call that drives a run takes. */
export const DRIVING: readonly string[] = [...STANDING, "steps", "providers", "clock", "on", "signal", "ask"];

export async function drivingOf(options: RunOptions) {
  const { inputs = {}, on, signal, ask, maxIterations, provider, skipGates } = options;
  const listeners: DriveListeners = {
    ...(on ? { on: listening(on) } : {}),
    ...(signal ? { signal } : {}),
    ...(ask ? { ask: asking(ask), askedVia: "library" } : {}),
  };
  return {
    session: { ...standingOf(options), extensions: await extensionsOf(options) },
    asked: {
      ...listeners,
      inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }])),
      ...given({ maxIterations, provider, skipGates }),
    },
  };
}
