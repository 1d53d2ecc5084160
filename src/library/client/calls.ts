// How the parts of a client call functions of the library.
import type { ResumeOptions, RunOptions } from "../run-options.ts";

/** Options that the client was given, and its calls are not. */
export type OfClient = "store" | "steps" | "providers" | "workflows" | "env" | "cwd" | "clock";

/** Options of a call: those of the client, those of the call, and how it was called. */
export type OptionsFor = (call: string, more?: object) => object;

/** Drives a run that the client can stop. */
export type DriveCall = <Json>(
  call: string,
  more: object | undefined,
  drive: (given: RunOptions & ResumeOptions) => Promise<Json>,
) => { readonly done: Promise<Json>; readonly stop: () => void };
