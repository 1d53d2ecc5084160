// Which machine this is: the one place that asks Node, everything else asks `system` or gets it as an argument. And what
// needs no more than that: the environment of Windows, opening a file that others may have put there.
import { constants, lstatSync, openSync } from "node:fs";
import { win32 } from "node:path";

export const PLATFORM: string = process.platform;
export const ARCHITECTURE: string = process.arch;

export type Variables = Readonly<Record<string, string | undefined>>;

/** With names in capitals, and found in any case: `env.Path` is `env.PATH`. Copies of it have the capitals. */
export function anyCase(env: Variables): Variables {
  const capitals: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(env)) capitals[name.toUpperCase()] = value;
  const spelled = (name: string | symbol): string | symbol => (typeof name === "string" ? name.toUpperCase() : name);
  return new Proxy(capitals, {
    get: (all, name) => Reflect.get(all, spelled(name)),
    has: (all, name) => Reflect.has(all, spelled(name)),
    getOwnPropertyDescriptor: (all, name) => Reflect.getOwnPropertyDescriptor(all, spelled(name)),
  });
}

export function variable(env: Variables, name: string): string | undefined {
  const spelled = Object.keys(env).findLast((one) => one.toUpperCase() === name);
  return spelled === undefined ? undefined : env[spelled];
}

/** For a process: each variable once, the last of them, spelled as here. */
export function environmentAsHere(env: Variables, here: Variables = process.env): Record<string, string | undefined> {
  const spelled = new Map(Object.keys(here).map((name) => [name.toUpperCase(), name]));
  const given = new Map<string, readonly [name: string, value: string | undefined]>();
  for (const [name, value] of Object.entries(env)) {
    const capitals = name.toUpperCase();
    given.set(capitals, [spelled.get(capitals) ?? name, value]);
  }
  return Object.fromEntries(given.values());
}

/** Programs of Windows itself, by their full path: what PATH or the working folder has first may be an agent's. */
export const systemFile = (...path: readonly string[]): string =>
  win32.join(process.env.SystemRoot || "C:\\Windows", "System32", ...path);

/** Windows has neither, and no such pipes in folders. */
type Flags = Partial<Pick<typeof constants, "O_NOFOLLOW" | "O_NONBLOCK">>;

/** Without O_NONBLOCK the open itself would wait for a pipe's writer. `noLink`: throws with the code ELOOP for a link. */
export function openForReading(
  path: string,
  { noLink = false }: { readonly noLink?: boolean } = {},
  { O_NOFOLLOW, O_NONBLOCK = 0 }: Flags = constants,
): number {
  if (noLink && O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink())
    throw Object.assign(new Error(`${path} is a link`), { code: "ELOOP" });
  return openSync(path, constants.O_RDONLY | O_NONBLOCK | (noLink ? (O_NOFOLLOW ?? 0) : 0));
}
