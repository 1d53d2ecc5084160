// What an agent is given to do, made of what the file, the step and the run say.
import { realpathSync } from "node:fs";
import type { Caller } from "../../steps/caller.ts";
import type { ModelRequest } from "../../steps/world.ts";
import { shapeForApi } from "../answer.ts";
import type { Prices } from "../cost.ts";
import { type CallOptions, settingsFor } from "../options.ts";
import type { Served } from "../registry.ts";
import type { Toolbox } from "../toolbox.ts";
import type { AgentSession, CodingAgent, CodingTask, GuardedPaths } from "./agent.ts";
import { searchPathOutside } from "./environment.ts";
import { ownProgramsIn } from "./own-programs.ts";
import { permissionsOf } from "./permissions.ts";
import { outermost, privateFiles } from "./private-files.ts";
import type { AgentProcesses } from "./processes.ts";
import type { AgentSessions } from "./sessions.ts";

export interface TaskLimits {
  readonly maxTurns: number;
  readonly mayUseTools: boolean;
}

export interface TaskParts {
  readonly prompt: string;
  readonly limits: TaskLimits;
  readonly session: AgentSession;
  /** The agent's own folder. */
  readonly home: string;
  /** Of repositories below its folder. */
  readonly guarded: readonly string[];
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
  const permissions = permissionsOf(settings as Readonly<Record<string, unknown>>);
  const project = attempt.workflow.rootDir;
  return {
    model: target.model,
    system: request.system,
    prompt,
    session,
    ...(request.schema ? { schema: shapeForApi(request.schema).schema } : {}),
    tools: usesTools ? toolbox.definitions : [],
    builtIns: usesTools ? (request.tools === null ? null : toolbox.unknown) : [],
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
      readOnly: [...byRealPath(ground.guarded.readOnly), ...guarded, ...ownProgramsIn(cwd, project, env)],
      unreadable: outermost([...byRealPath(ground.guarded.unreadable), ...privateFiles(env, cwd)]),
    },
    mark: ["SEGNO_IDEMPOTENCY_KEY", attempt.idempotencyKey],
    processes: ground.processes,
    signal,
  };
}

export const byRealPath = (paths: readonly string[]): string[] =>
  paths.map((path) => {
    try {
      return realpathSync(path);
    } catch {
      return path;
    }
  });

// One piece of work for a coding agent: what is asked of whom, and what the run hands to it.

/** What a run hands to every agent that works in a folder. */
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
