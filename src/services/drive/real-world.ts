// The outside as real runs reach it: processes, sockets, MCP servers, models. What needs a package loads it when first used.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Raised, raised } from "../../errors/index.ts";
import { keptIn } from "../../errors/mapping.ts";
import { describedServers } from "../../language/described-servers.ts";
import { familyOf, familySources, type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import { CODING_PROVIDERS } from "../../language/schema/names.ts";
import type { GuardedPaths } from "../../providers/coding/agent.ts";
import type { McpPool, Message } from "../../providers/index.ts";
import type { Breaker } from "../../providers/model-call.ts";
import { type Redactor, secretsFromAddress, secretsFromEnvironment, secretsFromHeaders } from "../../redact/index.ts";
import type { Caller } from "../../steps/caller.ts";
import type { CallBreakers } from "../../steps/executor.ts";
import { agentProcesses, outsideWorld, serverProcesses } from "../../steps/outside.ts";
import { directoryNotOnWorker } from "../../steps/script/errors.ts";
import { stepFiles } from "../../steps/step-files.ts";
import { mcpTarget, modelTarget } from "../../steps/targets.ts";
import type { ModelRequest, ProcessResult, StepWorld } from "../../steps/world.ts";
import { actingFilesAround } from "../project/acting-files.ts";
import { environmentForOthers } from "../secrets/environment-redactor.ts";
import { homeOf } from "../session/home.ts";
import type { Session } from "../session/session.ts";
import { filePrices } from "./price-list.ts";
import { scriptsEnvironment } from "./scripts-path.ts";

export interface ClosableWorld extends StepWorld {
  /** On a worker: where a folder of the workflow is. */
  readonly folderHere?: FolderHere;
  close(): Promise<void>;
}

/** The folder that an agent is to work in, when it is not where it says; of a model only one that was asked for. */
function folderAway(request: ModelRequest, caller: Caller, isCoding: boolean): string | undefined {
  if (!isCoding && typeof request.options.working_dir !== "string") return undefined;
  const folder = workingDirOf(request, caller);
  return existsSync(folder) ? undefined : folder;
}

const workingDirOf = ({ options }: ModelRequest, { workflow }: Caller): string =>
  typeof options.working_dir === "string" ? options.working_dir : workflow.dir;

const folderNotOnWorker = (folder: string, node: string): Raised =>
  raised("internal.bad_value", directoryNotOnWorker(folder, node), {
    field: "working_dir",
    value: folder,
    expected: "a folder that every worker has",
  });

interface RealDrive {
  readonly provider?: string;
  readonly brought?: string;
  /** The folders that coding agents worked in, in earlier drives. */
  readonly agentFolders?: ReadonlySet<string>;
}

export function realWorld(
  session: Session,
  workflow: LoadedWorkflow,
  redactor: Redactor,
  { provider, brought, agentFolders: before }: RealDrive,
): ClosableWorld {
  const { extensions } = session;
  const folderHere: FolderHere = brought ? broughtFiles(brought, () => familySources(workflow)) : () => undefined;
  const agentFolders = new Set(before);
  const env = scriptsEnvironment(environmentForOthers(session), workflow, { provider, agentFolders });
  for (const secret of familyOf(workflow).flatMap((one) => [...providerSecrets(one)])) redactor.learn(secret);
  const sessions = new Map<string, readonly Message[]>();
  const prices = filePrices(session);
  const agentSessions = new Map<string, string>();
  let providers: Promise<typeof import("../../providers/index.ts")> | undefined;
  const load = () => (providers ??= import("../../providers/index.ts"));
  const guarded = guardedBy(session, workflow);
  const pools = new Map<string, McpPool>();
  /**
   * Servers belong to a file or to one agent. Those of a model work in the agent's folder, which is what that is for; those
   * of a coding agent start in the file's: `npx` would run what a repository, or an agent before, has put there, with the
   * server's secrets and no sandbox.
   */
  const mcp = async (
    { workflow: place }: Caller,
    { servers: own, folder }: { readonly servers?: Readonly<Record<string, unknown>>; readonly folder?: unknown } = {},
  ): Promise<McpPool> => {
    const { createMcpPool, joinPools } = await load();
    const processes = await serverProcesses();
    const poolOf = (servers: Readonly<Record<string, unknown>>, dir: string): McpPool => {
      const cwd = typeof folder === "string" ? folder : dir;
      const key = JSON.stringify([dir, cwd, servers]);
      const here = { cwd: folderHere(cwd) ?? cwd, dir: folderHere(dir) ?? dir };
      return keptIn(pools, key, () => createMcpPool(servers, env, { ...here, processes }));
    };
    const { servers = {}, dir = place.dir } = place.mcp ?? {};
    if (!own) return poolOf(servers, dir);
    const others = Object.fromEntries(Object.entries(servers).filter(([name]) => !Object.hasOwn(own, name)));
    return joinPools([
      { servers: Object.keys(own), pool: poolOf(own, place.dir) },
      { servers: Object.keys(others), pool: poolOf(others, dir) },
    ]);
  };
  const outside = outsideWorld({
    env,
    callTool: async (request, attempt) => (await mcp(attempt)).callTool(request, attempt),
    async callModel(asked, attempt) {
      const { callModel } = await load();
      const { breakers } = attempt;
      const isCoding = CODING_PROVIDERS.includes(asked.provider);
      const away = brought === undefined ? undefined : folderAway(asked, attempt, isCoding);
      // An agent changes files, and those that were brought are removed when the run has ended.
      const here = away === undefined || isCoding ? undefined : folderHere(away);
      if (away !== undefined && here === undefined)
        return { ok: false, error: folderNotOnWorker(away, attempt.node), usage: {} };
      const request = here === undefined ? asked : { ...asked, options: { ...asked.options, working_dir: here } };
      if (isCoding) agentFolders.add(workingDirOf(request, attempt));
      const folder = isCoding ? undefined : request.options.working_dir;
      const tools = await mcp(attempt, { servers: request.servers, folder });
      return callModel(request, attempt, {
        env,
        mcp: breakers ? guardedTools(tools, breakers) : tools,
        sessions,
        ...(prices ? { prices } : {}),
        coding: {
          processes: await agentProcesses(),
          guarded: await guarded(attempt.workflow.dir),
          sessions: agentSessions,
        },
        ...(extensions?.providers ? { providers: extensions.providers } : {}),
        ...(breakers ? { breaker: modelBreaker(breakers) } : {}),
      });
    },
  });
  const files = stepFiles();
  return {
    ...outside,
    files: {
      ...files,
      // The journal keeps them, and no name is worth a secret.
      named: (request, place) => files.named(request, place).filter(({ path }) => redactor.text(path) === path),
    },
    ...(brought ? { folderHere } : {}),
    async run(request, attempt) {
      const cwd = folderHere(request.cwd);
      const ran = await outside.run(cwd === undefined ? request : { ...request, cwd }, attempt);
      if (ran.started && ran.exitCode === 0) return ran;
      const isAway = brought !== undefined && (cwd !== undefined || !existsSync(request.cwd));
      const result: ProcessResult = isAway ? { ...ran, onWorker: { cwd: cwd ?? request.cwd } } : ran;
      // As for an address: the journal keeps what the step puts into its error.
      const called = { command: redactor.text(request.command), args: request.args.map((arg) => redactor.text(arg)) };
      return result.started ? { ...result, called } : { ...result, called, message: redactor.text(result.message) };
    },
    async fetch(request, attempt) {
      for (const secret of [...secretsFromHeaders(request.headers), ...secretsFromAddress(request.url)])
        redactor.learn(secret);
      const holdsSecret = (text: string): boolean => redactor.text(text) !== text;
      const result = await outside.fetch({ ...request, holdsSecret }, attempt);
      // The journal keeps what the step puts into its error, and no resume needs the address.
      const address = redactor.text(request.url);
      return result.answered ? { ...result, address } : { ...result, address, message: redactor.text(result.message) };
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

/**
 * Agents must not read what Segno keeps, nor change the files that control it: the sources of the run, and the files of
 * the project of the working directory and of the one that the workflow file belongs to.
 */
function guardedBy(standing: Session, workflow: LoadedWorkflow): (dir: string) => Promise<GuardedPaths> {
  const around = new Map<string, Promise<readonly string[]>>();
  return async (dir) => {
    const files = keptIn(around, dir, () => actingFilesAround(dir, standing.env));
    return {
      readOnly: [...familySources(workflow).keys(), ...(standing.project?.actingFiles ?? []), ...(await files)],
      unreadable: [homeOf(standing)],
    };
  };
}

/** The breakers of an attempt in the shapes that providers ask for: one for each model, one for each MCP server. */
const modelBreaker = (breakers: CallBreakers): Breaker => ({
  admit: ({ provider, model }) => breakers.admit(modelTarget(provider, model)),
  report: ({ provider, model }, error) => breakers.report(modelTarget(provider, model), error),
});

/** Tools that an agent calls by itself stand under the same breaker as `type: mcp` steps. */
const guardedTools = (pool: McpPool, breakers: CallBreakers): McpPool => ({
  ...pool,
  async callTool(request, attempt) {
    const target = mcpTarget(request.server);
    const refused = await breakers.admit(target);
    if (refused) return { ok: false, error: refused };
    const result = await pool.callTool(request, attempt);
    if (!attempt.signal.aborted) await breakers.report(target, result.ok ? undefined : result.error);
    return result;
  },
});

const KEYS = ["api_key", "auth_token", "bearer_token", "runtime_token"] as const;

/** Secrets in a file's settings, known before any call, so that nothing that comes back can carry them out. */
function* providerSecrets(workflow: LoadedWorkflow): Iterable<string> {
  yield* ofProvider(workflow.definition.workflow.runtime.provider);
  for (const step of stepsOf(workflow.definition))
    if (step.type === "agent" && step.provider) yield* ofProvider(step.provider);
  for (const [, { headers, env, url }] of describedServers(workflow)) {
    if (url !== undefined) yield* secretsFromAddress(url);
    yield* secretsFromHeaders(headers);
    yield* secretsFromEnvironment(env);
  }
}

function* ofProvider(settings: Readonly<Record<string, unknown>>): Iterable<string> {
  for (const key of KEYS) {
    const value = settings[key];
    if (typeof value === "string" && value !== "") yield value;
  }
  if (typeof settings.base_url === "string") yield* secretsFromAddress(settings.base_url);
  if (typeof settings.headers === "object" && settings.headers !== null)
    yield* secretsFromHeaders(settings.headers as Readonly<Record<string, string>>);
}

// The workflow's own files on a machine that has not the folders they are from: a worker of a fleet. They are laid out below
// one folder as they were, so that what they say of each other holds, and scripts run there.

export const broughtFolder = (home: string, runId: string): string => join(home, "brought", runId);

/** Where a folder is on this machine; nothing when it is where it says, or nowhere. */
export type FolderHere = (folder: string) => string | undefined;

/** The files are written when a folder is missed for the first time. */
function broughtFiles(base: string, sources: () => ReadonlyMap<string, string>): FolderHere {
  let isLaidOut = false;
  const here = (path: string): string => join(base, resolve("/", path).replace(/^([a-z]):/i, "$1"));
  const layOut = (): void => {
    if (isLaidOut) return;
    isLaidOut = true;
    for (const [path, text] of sources()) {
      mkdirSync(dirname(here(path)), { recursive: true, mode: 0o700 });
      writeFileSync(here(path), text, { mode: 0o600 });
    }
  };
  return (folder) => {
    if (existsSync(folder)) return undefined;
    layOut();
    return existsSync(here(folder)) ? here(folder) : undefined;
  };
}

export const removeBrought = (home: string, runId: string): void =>
  rmSync(broughtFolder(home, runId), { recursive: true, force: true });
