// Where a call about runs stands, in the words of services.
import { openSession, type Session } from "../services/session/session.ts";
import type { StoreOptions } from "./options.ts";
import { sessionOf } from "./services-of.ts";

export const standingOf = (options: StoreOptions): Session =>
  openSession({ ...sessionOf(options), home: options.store?.home, fleet: options.store?.fleet });

/** The names of the options that every call about runs takes. */
export const STANDING: readonly string[] = ["cwd", "env", "store"] satisfies (keyof StoreOptions)[];
/** The names of the options that every call about a workflow takes. */
export const LOADING: readonly string[] = ["cwd", "env", "steps", "providers"];

/** Without the options that were not given: services tell those apart from undefined. */
export const given = <Options extends object>(
  options: Options,
): { [Name in keyof Options]: Exclude<Options[Name], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
