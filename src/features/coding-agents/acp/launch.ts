// Which program is started for an agent, with which arguments and environment.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { ProviderFailure } from "../../../providers/failure.ts";
import type { CodingTask } from "../agent.ts";
import { agentEnvironment, programOn } from "../environment.ts";
import { bringSettings } from "../permissions.ts";
import { KNOWN_AGENTS, type KnownAgent, knownAgent, type ModelAccess } from "./known-agents.ts";

export interface AgentLaunch {
  readonly title: string;
  readonly known: KnownAgent | undefined;
  readonly command: string;
  readonly args: readonly string[];
  /** Absent: Segno does not know how to give this agent its model. */
  readonly access: ModelAccess | undefined;
  /** Files and folders that it is made of. */
  readonly program: readonly string[];
}

export function launchOf(task: CodingTask): AgentLaunch {
  const { agent, command, args = [] } = task.settings;
  const known = knownAgent(agent);
  if (!known && !command)
    throw new ProviderFailure(
      "unready",
      agent === undefined
        ? `it does not say which agent: write provider: {name: acp, agent: NAME}, where NAME is ${KNOWN_AGENTS.join(", ")}, or give its command`
        : `Segno does not know the agent ${JSON.stringify(agent)}. It knows ${KNOWN_AGENTS.join(", ")}; give any other by its command`,
    );
  const found = findProgram(command ?? known?.program ?? "", task);
  if (found === undefined)
    throw new ProviderFailure(
      "unready",
      known && !command
        ? `${known.title} is not installed: ${known.program} is neither in node_modules/.bin of your project nor on the PATH. Install it (${known.install}), or choose another provider`
        : `there is no program ${JSON.stringify(command)} in your project's node_modules/.bin or on the PATH. Install it, or name it by its path from the workflow's folder`,
    );
  return {
    title: known?.title ?? String(command),
    known,
    command: found,
    args: [...(known?.args(task) ?? []), ...args],
    access: known?.access(task),
    program: [found, ...packageOf(realpathSync(found))],
  };
}

/** Never in the folder that the agent works in, unless the file says so: a repository could bring a program of that name. */
export function findProgram(name: string, { project, env }: Pick<CodingTask, "project" | "env">): string | undefined {
  if (isAbsolute(name) || name.includes("/") || name.includes(sep)) {
    const file = resolve(project, name);
    return existsSync(file) ? file : undefined;
  }
  for (let at = project; ; at = dirname(at)) {
    const file = join(at, "node_modules", ".bin", name);
    if (existsSync(file)) return file;
    if (dirname(at) === at) return programOn(env.PATH ?? "", name);
  }
}

/** The folder of packages that a program is installed in, with what it depends on. */
function packageOf(file: string): string[] {
  const at = file.indexOf(`${sep}node_modules${sep}`);
  return at < 0 ? [] : [join(file.slice(0, at), "node_modules")];
}

/** A script of Node is started by this Node: there may be none on the PATH. */
export const launchLine = ({ command, args }: AgentLaunch): readonly string[] =>
  /^#!.*\bnode\b/.test(firstLine(realpathSync(command))) || /\.[cm]?js$/.test(command)
    ? [process.execPath, command, ...args]
    : [command, ...args];

const firstLine = (file: string): string => readFileSync(file).subarray(0, 200).toString("latin1").split("\n")[0] ?? "";

/** `access` is what the agent sees: inside the sandbox it has neither the model's address nor its key. */
export async function launchEnvironment(
  task: CodingTask,
  { known }: AgentLaunch,
  access: ModelAccess | undefined,
): Promise<Record<string, string>> {
  const { env, home, mark, permissions, settings } = task;
  const setup = known && access ? known.tell(task, access) : { env: {} };
  await mkdir(home, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(setup.files ?? {}))
    await writeFile(join(home, name), JSON.stringify(value), { mode: 0o600 });
  if (known && permissions.settings === "user") {
    const { folder, names } = known.ofUser;
    await bringSettings(join(env.HOME || homedir(), folder), names, join(home, folder));
  }
  return {
    ...agentEnvironment(env),
    // A home of its own: what it keeps there ends with the run, and the user's is not its business.
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    ...setup.env,
    ...settings.env,
    [mark[0]]: mark[1],
  };
}
