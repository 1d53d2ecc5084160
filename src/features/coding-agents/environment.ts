// What an agent finds on this machine: the variables it gets (every other secret stays with Segno), where it looks for
// programs, and what there is to confine commands with.
import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isIn, realPath } from "../../base/real-path.ts";
import type { CodingTask } from "./agent.ts";

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

export interface OsSandbox {
  readonly ready: boolean;
  /** What is there, or what to install. */
  readonly message: string;
}

/** `isolation` is tried out: some containers allow a new network, but not a new process table. */
export function osSandbox(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
  isolation: readonly string[] = ["--ro-bind", "/", "/", "--unshare-net"],
): OsSandbox {
  if (platform === "darwin") return { ready: true, message: "macOS confines commands itself" };
  if (platform !== "linux") return { ready: false, message: `nothing confines commands on ${platform}` };
  const path = env.PATH ?? "";
  const bwrap = programOn(path, "bwrap");
  const socat = programOn(path, "socat");
  if (bwrap && socat) return triedOut(bwrap, path, isolation);
  const missing = [...(bwrap ? [] : ["bwrap"]), ...(socat ? [] : ["socat"])];
  const packages = missing.map((program) => (program === "bwrap" ? "bubblewrap" : program));
  return { ready: false, message: `Install ${packages.join(" and ")} (apt install ${packages.join(" ")})` };
}

/** In many containers bwrap is there and may not make namespaces: then every command of an agent would fail. */
function triedOut(bwrap: string, path: string, isolation: readonly string[]): OsSandbox {
  const { status, stderr, error } = spawnSync(bwrap, [...isolation, "true"], {
    env: { PATH: path },
    timeout: TRIAL_MS,
    encoding: "utf8",
  });
  if (status === 0) return { ready: true, message: "bwrap and socat are installed, and bwrap works" };
  const said = stderr?.trim().split("\n")[0] || error?.message || `it ended with ${status}`;
  return { ready: false, message: `bwrap is installed, but may not confine anything here (${said})` };
}

const TRIAL_MS = 5000;

// What every bubblewrap around an agent or its commands leaves out. As root it would keep all capabilities inside, by which
// what is read-only can be mounted anew, and the kernel's settings, by which a program can be named that runs outside.

/** Behind `--proc`. */
export const READ_ONLY_SETTINGS = ["--ro-bind", "/proc/sys", "/proc/sys"];

export const NO_CAPABILITIES = ["--cap-drop", "ALL"];

const isRoot = ({ processes: { machine } }: CodingTask): boolean =>
  machine.platform === "linux" && process.getuid?.() === 0;

/** Whether an agent would use a bwrap of its own instead. */
export const isUnguardedRoot = (task: CodingTask): boolean =>
  isRoot(task) && programOn(task.env.PATH ?? "", "bwrap") === undefined;

/** The PATH for an agent that starts bwrap itself: as root it finds one first, in its home, that leaves these out. */
export async function pathWithBwrap(task: CodingTask): Promise<string> {
  const { env, home, permissions } = task;
  const path = env.PATH ?? "";
  const bwrap = programOn(path, "bwrap");
  if (!isRoot(task) || permissions.sandbox === "full" || bwrap === undefined) return path;
  const folder = join(home, "segno-bin");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const real = `'${bwrap.replaceAll("'", "'\\''")}'`;
  await writeFile(join(folder, "bwrap"), `${AROUND}exec ${real} ${NO_CAPABILITIES.join(" ")} "$@"\n`, { mode: 0o700 });
  return [folder, path].join(delimiter);
}

const AROUND = `#!/bin/sh
left=$# last= isCommand=
while [ "$left" -gt 0 ]; do
  one=$1 left=$((left - 1))
  shift
  set -- "$@" "$one"
  [ "$one" = -- ] && isCommand=yes
  [ "$last" = --proc ] && [ -z "$isCommand" ] && set -- "$@" ${READ_ONLY_SETTINGS.join(" ")}
  last=$one
done
`;
