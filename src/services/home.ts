// Where runs are kept: `--home`, else `SEGNO_HOME`, else `~/.segno`.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Surroundings } from "./request.ts";

export const homeOf = ({ home, env, cwd }: Surroundings): string =>
  home ? resolve(cwd, home) : env.SEGNO_HOME ? resolve(cwd, env.SEGNO_HOME) : join(env.HOME || homedir(), ".segno");

declare const SEGNO_VERSION: string | undefined;

/** The version of the program; what is not built is a development copy. */
export const version = (): string => (typeof SEGNO_VERSION === "string" ? SEGNO_VERSION : "0.0.0-dev");
