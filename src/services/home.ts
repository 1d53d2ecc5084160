// Where runs are kept: `--home`, else `SEGNO_HOME`, else `~/.segno`.
import { userInfo } from "node:os";
import { resolve } from "node:path";
import { refusal } from "./refusals.ts";
import type { Surroundings } from "./request.ts";

export const homeOf = ({ home, env, cwd }: Surroundings): string =>
  home
    ? resolve(cwd, home)
    : env.SEGNO_HOME
      ? resolve(cwd, env.SEGNO_HOME)
      : resolve(cwd, env.HOME || registeredHome(), ".segno");

/** What the system has on record; in a container a user may have no entry there at all. */
function registeredHome(): string {
  try {
    const { homedir } = userInfo();
    if (homedir) return homedir;
  } catch {
    // No entry.
  }
  throw refusal(
    "there is no folder to keep runs in: HOME is not set, and the system knows no home folder of this user. Name one with --home or SEGNO_HOME",
  );
}

declare const SEGNO_VERSION: string | undefined;

/** The version of the program; what is not built is a development copy. */
export const version = (): string => (typeof SEGNO_VERSION === "string" ? SEGNO_VERSION : "0.0.0-dev");
