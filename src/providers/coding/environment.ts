// What an agent gets of the environment: what programs need to find their way, and what the agent itself needs to reach
// its model. Everything else, and with it every other secret, stays with Segno.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isIn, realPath } from "./real-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const EVERYBODY = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TERM",
  "TMPDIR",
  "TMP",
  "TEMP",
  "TZ",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SYSTEMROOT",
  "COMSPEC",
  "PATHEXT",
] as const;

const isPassed = (name: string): boolean => name.startsWith("LC_") || (EVERYBODY as readonly string[]).includes(name);

/** `own` are the names of variables that this agent needs besides; nothing without a value gets in. */
export function agentEnvironment(env: Environment, own: readonly string[] = []): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && (isPassed(name) || own.includes(name))) kept[name] = value;
  return kept;
}

// Where the agent's process looks for programs. It starts bwrap, socat and git by their names and outside of every sandbox,
// so it must not find them in a folder that the agent may write: `npx` puts node_modules/.bin of the folder that it is
// started in before everything else, and an agent that writes a `git` there would escape.

/** `path` without what is below the folder, by whatever links, and without relative entries. */
export const searchPathOutside = (path: string, folder: string): string =>
  foldersIn(path)
    .filter((one) => isAbsolute(one) && !isIn(realPath(one), folder))
    .join(delimiter);

const foldersIn = (path: string): string[] => path.split(delimiter);

/** The file that a name stands for; relative entries of the path are ignored. */
export function programOn(path: string, name: string): string | undefined {
  return foldersIn(path)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
