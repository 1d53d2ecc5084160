// Where a call about runs stands, in the words of services.
import { openSession, type Session } from "../services/session/session.ts";
import type { Options, StoreOptions } from "./options.ts";
import { extensionsOf, sessionOf } from "./services-of.ts";

export const standingOf = (options: StoreOptions): Session =>
  openSession({ ...sessionOf(options), home: options.store?.home, fleet: options.store?.fleet });

/** The same, with the step types and providers of the caller. */
export const standingWith = async (options: StoreOptions & Pick<Options, "steps" | "providers">): Promise<Session> => ({
  ...standingOf(options),
  extensions: await extensionsOf(options),
});

/** All names of these options: a list without one of them does not compile. */
export const allOf =
  <Options>() =>
  <const Names extends readonly (keyof Options)[]>(
    names: Exclude<keyof Options, Names[number]> extends never ? Names : never,
  ) =>
    names as Names;

/** The names of the options that every call about runs takes. */
export const STANDING: readonly string[] = ["cwd", "env", "store"] satisfies (keyof StoreOptions)[];
/** The names of the options that every call about a workflow takes. */
export const LOADING: readonly string[] = ["cwd", "env", "steps", "providers"];

/** Without the options that were not given: services tell those apart from undefined. */
export const given = <Options extends object>(
  options: Options,
): { [Name in keyof Options]: Exclude<Options[Name], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;

/** Of these options those that were given. */
export const givenOf = <Options extends object, Name extends keyof Options>(options: Options, names: readonly Name[]) =>
  given(Object.fromEntries(names.map((name) => [name, options[name]])) as Pick<Options, Name>);
