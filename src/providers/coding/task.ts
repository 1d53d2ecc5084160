// What an agent is given to do, made of what the file, the step and the run say.
import { realpathSync } from "node:fs";
import { shapeForApi } from "../answer-shape.ts";
import { settingsFor } from "../options.ts";
import type { AgentSession, CodingTask } from "./agent.ts";
import type { CodingCall } from "./call.ts";
import { ownProgramsIn } from "./own-programs.ts";
import { permissionsOf } from "./permissions.ts";
import { outermost, privateFiles } from "./private-files.ts";
import { searchPathOutside } from "./search-path.ts";

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
