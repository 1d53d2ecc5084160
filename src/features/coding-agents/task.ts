// What an agent is given to do, made of what the file, the step and the run say.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { isIn } from "../../base/real-path.ts";
import { shapeForApi } from "../../providers/answer.ts";
import { ProviderFailure } from "../../providers/failure.ts";
import { ownFolder } from "../../providers/load-package.ts";
import { type CallOptions, settingsFor } from "../../providers/options.ts";
import type { Prices } from "../../providers/prices.ts";
import type { Served } from "../../providers/registry.ts";
import type { Toolbox } from "../../providers/toolbox.ts";
import type { Caller } from "../../steps/caller.ts";
import type { ModelRequest } from "../../steps/world.ts";
import type { AgentProcesses, AgentSession, CodingAgent, CodingTask, GuardedPaths } from "./agent.ts";
import { searchPathOutside } from "./environment.ts";
import { peerFolder } from "./packages.ts";
import { permissionsOf } from "./permissions.ts";
import { outermost, privateFiles } from "./private-files.ts";
import type { AgentSessions } from "./sessions.ts";

export interface TaskLimits {
  readonly maxTurns: number;
  readonly mayUseTools: boolean;
}

/** Of the agent's folder: what git runs of repositories, and where packages put commands. */
export interface FoldersBelow {
  readonly guarded: readonly string[];
  readonly bins: readonly string[];
}

export interface TaskParts {
  readonly prompt: string;
  readonly limits: TaskLimits;
  readonly session: AgentSession;
  readonly home: string;
  readonly guarded: FoldersBelow;
  readonly signal: AbortSignal;
}

export function codingTask(call: CodingCall, parts: TaskParts): CodingTask {
  const { prompt, limits, session, home, guarded, signal } = parts;
  const { request, attempt, options, target, toolbox, ground, env } = call;
  const settings = settingsFor(target.provider, request, attempt);
  const usesTools = limits.mayUseTools && request.tools?.length !== 0;
  const budgetUsd = attempt.budgetLeftUsd?.();
  // By its real path: what is guarded below it must be the same file by every name.
  const cwd = realpathSync(options.workingDir);
  const isClaude = target.provider === "claude-agent-sdk";
  const { setting_sources, ...others } = settings as Readonly<Record<string, unknown>>;
  const permissions = permissionsOf(isClaude ? { ...others, setting_sources } : others);
  const hasNone = isClaude && settings.native_tools === "none";
  const project = attempt.workflow.rootDir;
  const builtIns = (): readonly string[] | null => {
    if (request.tools !== null) return toolbox.unknown;
    // The skills of the settings that it reads are used by a tool of its own.
    return hasNone ? (permissions.settings === "none" ? [] : ["Skill"]) : null;
  };
  return {
    model: target.model,
    system: request.system,
    prompt,
    session,
    ...(request.schema ? { schema: shapeForApi(request.schema).schema } : {}),
    tools: usesTools ? toolbox.definitions : [],
    builtIns: usesTools ? builtIns() : [],
    ...(isClaude && options.settingsDir ? { settingsDir: folderOf(options.settingsDir) } : {}),
    ...(options.effort ? { effort: options.effort } : {}),
    maxTurns: limits.maxTurns,
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    settings,
    permissions,
    env: permissions.sandbox === "full" ? env : { ...env, PATH: searchPathOutside(env.PATH ?? "", cwd) },
    cwd,
    home,
    project,
    guarded: {
      readOnly: [
        ...byRealPath(ground.guarded.readOnly),
        ...guarded.guarded,
        ...(permissions.mayInstall ? [] : guarded.bins),
        ...ownProgramsIn(cwd, project, env),
      ],
      unreadable: outermost([...byRealPath(ground.guarded.unreadable), ...privateFiles(env, cwd)]),
    },
    mark: ["SEGNO_IDEMPOTENCY_KEY", attempt.idempotencyKey],
    processes: ground.processes,
    signal,
  };
}

function folderOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new ProviderFailure("unready", `settings_dir is ${path}, and there is no such folder`);
  }
}

export const byRealPath = (paths: readonly string[]): string[] =>
  paths.map((path) => {
    try {
      return realpathSync(path);
    } catch {
      return path;
    }
  });

export interface CodingGround {
  readonly processes: AgentProcesses;
  readonly guarded: GuardedPaths;
  readonly sessions?: AgentSessions;
}

export interface CodingCall {
  readonly agent: CodingAgent;
  readonly target: Served;
  readonly request: ModelRequest;
  readonly attempt: Caller;
  readonly options: CallOptions;
  readonly toolbox: Toolbox;
  readonly ground: CodingGround;
  readonly env: CodingTask["env"];
  readonly prices: Prices;
  readonly random: () => number;
  readonly warn: (message: string) => void;
}

/** With Segno, what it loads when it is there. */
const PACKAGES = [
  "segno",
  "@anthropic-ai/claude-agent-sdk",
  "@openai/codex",
  "@github/copilot-sdk",
  "@google/gemini-cli",
  "opencode-ai",
  "@agentclientprotocol/claude-agent-acp",
  "@aaif/goose-acp",
  "@dbos-inc/dbos-sdk",
  "pg",
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What Segno and the agents themselves are made of, and the folders in which programs are found, where that lies in the agent's
 * folder: the next step starts it outside of every sandbox. By real paths, strictly inside of `cwd`: an agent that works in
 * such a package itself may change it.
 */
export function ownProgramsIn(cwd: string, project: string, env: Environment): string[] {
  const named = PACKAGES.flatMap((name) => peerFolder({ package: name }, project) ?? []);
  const segno = ownFolder();
  const packages = withDependencies(segno === undefined ? named : [...named, segno]);
  const onPath = (env.PATH ?? "").split(delimiter).filter(isAbsolute);
  const found = [
    ...packages,
    ...named.flatMap(linkHolders),
    ...[...named, ...packages].flatMap(binsOf),
    ...onPath,
    ...(env.COPILOT_CLI_PATH ? [env.COPILOT_CLI_PATH] : []),
  ];
  const real = found.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return outermost(real.filter((path) => path !== cwd && isIn(path, cwd)));
}

/** Packages, and what they depend on, as Node finds it from where they really are. */
function withDependencies(folders: readonly string[]): string[] {
  const all = new Set<string>();
  const open = folders.map((folder) => realpathSync(folder));
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (all.has(folder)) continue;
    all.add(folder);
    for (const name of dependenciesOf(folder)) {
      const dependency = foundFrom(folder, name);
      if (dependency) open.push(realpathSync(dependency));
    }
  }
  return [...all];
}

function dependenciesOf(folder: string): string[] {
  try {
    const manifest = parseJson(readFileSync(join(folder, "package.json"), "utf8"));
    const { dependencies, optionalDependencies } = isMapping(manifest) ? manifest : {};
    return [dependencies, optionalDependencies].flatMap((names) => (isMapping(names) ? Object.keys(names) : []));
  } catch {
    return [];
  }
}

function foundFrom(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = join(at, "node_modules", name);
    if (existsSync(found)) return found;
    if (dirname(at) === at) return undefined;
  }
}

/** A package that is a link into some store could be replaced by replacing the link: `node_modules/@scope` is held. */
const linkHolders = (folder: string): string[] => {
  const holder = dirname(folder);
  return basename(holder).startsWith("@") && realpathSync(folder) !== folder ? [holder] : [];
};

function binsOf(folder: string): string[] {
  const at = folder.lastIndexOf(`${sep}node_modules${sep}`);
  return at < 0 ? [] : [join(folder.slice(0, at), "node_modules", ".bin")];
}
