// bwrap around the whole of an agent: it sees the machine read-only, writes its folder, its own home and a /tmp of its own,
// and has no network but a proxy of Segno's. What it asks for is policy; this is the boundary.
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ProviderFailure } from "../../failure.ts";
import type { CodingTask } from "../agent.ts";
import { programOn } from "../environment.ts";
import { guardedIn } from "../guarded.ts";
import { NO_CAPABILITIES, osSandbox, READ_ONLY_SETTINGS } from "../os-sandbox.ts";
import { isIn, realPath } from "../real-path.ts";
import type { AgentLaunch } from "./launch.ts";

/** In the sandbox's own network, in which nothing else listens. */
const PROXY_PORT = 3128;
export const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`;

/** Throws where nothing can confine this agent. */
export function requireSandbox({ env, processes: { machine }, permissions }: CodingTask, title: string): void {
  if (permissions.sandbox === "full") return;
  const isLinux = machine.platform === "linux";
  const os = osSandbox(env, machine.platform, ISOLATION);
  if (isLinux && os.ready) return;
  const why = isLinux ? os.message : "Segno confines such agents on Linux alone";
  throw new ProviderFailure(
    "unready",
    `under sandbox: ${permissions.sandbox} ${title} runs only inside a sandbox of the operating system, and there is none here. ${why}; or choose claude-agent-sdk, codex or copilot, or sandbox: full if nothing needs to be kept from this agent`,
  );
}

/** The machine, read-only; processes, network and the rest of its own. */
const ISOLATION = [
  ...["--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "--new-session", ...NO_CAPABILITIES],
  ...["--proc", "/proc", ...READ_ONLY_SETTINGS, "--dev", "/dev"],
];

/** Sockets of Docker and of key agents are here, by which a command can do whatever its user can. */
const HIDDEN = ["/run", "/var/run"];

interface Places {
  /** Of this task alone: sockets and temporary files. */
  readonly folder: string;
  /** The socket of Segno's proxy. */
  readonly proxy: string;
}

/** The command line that runs `line` inside. */
export async function confined(
  task: CodingTask,
  launch: AgentLaunch,
  line: readonly string[],
  { folder, proxy }: Places,
): Promise<readonly string[]> {
  const { cwd, home, permissions, project, env } = task;
  const temporary = join(folder, "tmp");
  await mkdir(temporary);
  const mounts = new Map<string, readonly string[]>();
  const put = (path: string, ...args: readonly string[]): void => void mounts.set(path, args);
  const readOnly = (path: string): void => put(path, "--ro-bind", path, path);
  const hide = (path: string): void =>
    isFolder(path) ? put(path, "--tmpfs", path) : put(path, "--ro-bind", "/dev/null", path);

  put("/tmp", "--bind", temporary, "/tmp");
  for (const path of HIDDEN.filter((one) => isFolder(one) && !isLink(one))) put(path, "--tmpfs", path);
  // Of what lies where others keep their temporary files it needs its program and its project.
  const needed = [project, ...launch.program, process.execPath].map((path) => realPath(path));
  for (const path of needed.filter((one) => isCovered(one))) readOnly(path);
  const guarded = guardedIn(task);
  const isSeen = (path: string): boolean => !isCovered(path) || [cwd, ...needed].some((one) => isIn(path, one));
  for (const path of guarded.unreadable) if (isSeen(path) && existsSync(path)) hide(path);
  put(cwd, permissions.sandbox === "workspace" ? "--bind" : "--ro-bind", cwd, cwd);
  const ownFolders = (launch.known?.ownFolders ?? []).map((name) => join(cwd, name));
  const kept = [...guarded.readOnly, ...launch.program.map((path) => realPath(path)), ...ownFolders];
  for (const path of kept.filter((one) => one !== cwd && isIn(one, cwd))) {
    const at = firstMissing(path, cwd);
    // Nothing can be mounted over what is not there: an empty folder stands in its place as long as the agent works.
    if (at === undefined) readOnly(path);
    else if (permissions.sandbox === "workspace") put(at, "--tmpfs", at, "--remount-ro", at);
    // Mounted by themselves, so that none can be moved away with a guarded file in it.
    if (permissions.sandbox === "workspace")
      for (let above = dirname(at ?? path); above !== cwd; above = dirname(above))
        if (!mounts.has(above)) put(above, "--bind", above, above);
  }
  const hidden = [...ownFolders, ...(launch.known?.hiddenFiles ?? []).map((name) => join(cwd, name))];
  if (permissions.settings === "none") for (const path of hidden) if (existsSync(path)) hide(path);
  for (const path of sockets()) if (isSeen(path)) put(path, "--ro-bind", "/dev/null", path);
  put(home, "--bind", home, home);
  put(folder, "--ro-bind", folder, folder);
  const byDepth = [...mounts].sort(([one], [other]) => one.split("/").length - other.split("/").length);
  const program = (name: string): string => programOn(env.PATH ?? "", name) ?? name;
  // What covers a link, as that of a folder above the project, does not cover the program that it leads to: it is `needed`.
  const seen = line.map((part) => (part === launch.command && isCovered(part) ? realPath(part) : part));
  return [
    ...[program("bwrap"), ...ISOLATION, ...byDepth.flatMap(([, args]) => args), "--chdir", cwd, "--"],
    ...["/bin/sh", "-c", BRIDGE, "segno", program("socat"), proxy, ...seen],
  ];
}

/** The agent starts when the way to the proxy is open; nothing of the shell stays. */
const BRIDGE = [
  `"$1" TCP-LISTEN:${PROXY_PORT},fork,reuseaddr,bind=127.0.0.1 UNIX-CONNECT:"$2" </dev/null >/dev/null 2>&1 &`,
  `until grep -q ':${PROXY_PORT.toString(16).toUpperCase().padStart(4, "0")} ' /proc/net/tcp; do sleep 0.01; done`,
  `shift 2; exec "$@"`,
].join("\n");

const isCovered = (path: string): boolean => ["/tmp", ...HIDDEN].some((one) => isIn(path, one));
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** The outermost part of a path below `folder` that is not there; nothing when all of it is. */
function firstMissing(path: string, folder: string): string | undefined {
  if (existsSync(path)) return undefined;
  const above = dirname(path);
  return above === folder || existsSync(above) ? path : firstMissing(above, folder);
}

/** Where programs of this machine listen: a read-only mount does not keep anybody from connecting. */
function sockets(): string[] {
  const listed = existsSync("/proc/net/unix") ? readFileSync("/proc/net/unix", "utf8") : "";
  const paths = listed.split("\n").flatMap((line) => /\s(\/[^@]*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].flatMap((path) => {
    try {
      return statSync(path).isSocket() ? [realpathSync(path)] : [];
    } catch {
      return [];
    }
  });
}
