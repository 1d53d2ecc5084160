// The folder of this user in which compiled code may be kept. Compiled code is believed like the program itself, so a
// folder that others could have filled is none; and nothing is ever needed from it.
import { lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

const PRIVATE = 0o700;
const FOR_OTHERS = 0o077;

/** Where it would be; undefined when nothing says who the user is. It need not exist. */
export function cachePath(env: Environment = process.env, platform: string = process.platform): string | undefined {
  const [base, ...below] = baseOf(env, platform);
  return base !== undefined && isAbsolute(base) ? join(base, ...below, "segno") : undefined;
}

function baseOf(env: Environment, platform: string): readonly [base: string | undefined, ...below: string[]] {
  if (env.XDG_CACHE_HOME) return [env.XDG_CACHE_HOME];
  if (platform === "win32") return [env.LOCALAPPDATA];
  return platform === "darwin" ? [env.HOME, "Library", "Caches"] : [env.HOME, ".cache"];
}

/** Whether it is a folder of this user that nobody else can write to or read. */
export function isOurs(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && isPrivate(found);
  } catch {
    return false;
  }
}

export const isPrivate = ({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & FOR_OTHERS) === 0);

/** Makes the folder unless it is there. False where it cannot be made, or would be made in another user's place. */
export function makeOurs(folder: string): boolean {
  if (isOurs(folder)) return true;
  try {
    make(folder);
  } catch {
    return false;
  }
  return isOurs(folder);
}

/** One by one: asked for all at once, Node never comes back from places like /proc. */
function make(folder: string): void {
  const above = dirname(folder);
  const found = statSync(above, { throwIfNoEntry: false });
  if (!found) make(above);
  // With the rights of another user (sudo), a folder made in their home would shut them out of it.
  else if (process.getuid && found.uid !== process.getuid()) throw new Error(`${above} belongs to another user`);
  mkdirSync(folder, PRIVATE);
}
