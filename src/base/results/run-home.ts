// The folder that runs are kept in: the one that was named, else `SEGNO_HOME`, else `~/.segno`. Every result speaks of it,
// and it loads nothing: the library asks before anything else is there.
import { userInfo } from "node:os";
import { isAbsolute, resolve } from "node:path";

export interface HomeChoice {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

export const NO_HOME =
  "there is no folder to keep runs in: HOME is not set, and the system knows no home folder of this user";

/** Nothing when no folder was named and the user has none. */
export function runHome({ home, env, cwd }: HomeChoice): string | undefined {
  const named = home || env.SEGNO_HOME;
  if (named) return resolve(cwd, named);
  const own = env.HOME || registeredHome();
  return own === undefined ? undefined : resolve(cwd, own, ".segno");
}

/** The user's own folder, whatever SEGNO_HOME says: a relative HOME would be a folder of wherever we are. */
export const userFolder = (env: HomeChoice["env"]): string | undefined =>
  env.HOME && isAbsolute(env.HOME) ? env.HOME : registeredHome();

/** What the system has on record; in a container a user may have no entry there at all. */
function registeredHome(): string | undefined {
  try {
    return userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}
