// What every bubblewrap around an agent or its commands leaves out. As root it would keep all capabilities inside, by which
// what is read-only can be mounted anew, and the kernel's settings, by which a program can be named that runs outside.
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { CodingTask } from "./agent.ts";
import { programOn } from "./search-path.ts";

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
