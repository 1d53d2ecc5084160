// What this machine has to confine commands with: bubblewrap and socat on Linux, the system's own on macOS.
import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { CodingTask } from "./agent.ts";
import { programOn } from "./environment.ts";

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

/**
 * The PATH for an agent that starts bwrap itself. As root it finds one first that leaves these out; it stands in the agent's
 * home, which its commands cannot reach.
 */
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
