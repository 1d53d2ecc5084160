// The outside as real runs reach it: processes, sockets, MCP servers, models, and what these cost. What needs a package loads
// it when first used.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isMapping, keptIn } from "../../base/errors/mapping.ts";
import { parseJson } from "../../base/json/bounded.ts";
import {
  type Redactor,
  secretsFromAddress,
  secretsFromEnvironment,
  secretsFromHeaders,
} from "../../base/redact/index.ts";
import { userFolder } from "../../base/results/run-home.ts";
import type { GuardedPaths } from "../../features/coding-agents/agent.ts";
import { describedServers, familyOf, familySources, type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import { secretValues } from "../../language/named-secrets.ts";
import { CODING_PROVIDERS } from "../../language/schema/names.ts";
import type { McpPool, Message } from "../../providers/index.ts";
import type { Breaker } from "../../providers/model-call.ts";
import type { Price, PriceList } from "../../providers/prices.ts";
import type { Caller } from "../../steps/caller.ts";
import { agentProcesses, outsideWorld, serverProcesses } from "../../steps/outside.ts";
import { stepFiles } from "../../steps/step-files.ts";
import { type CallBreakers, mcpTarget, modelTarget } from "../../steps/step-type.ts";
import type { ProcessResult, StepWorld } from "../../steps/world.ts";
import { projectAround } from "../project/acting-files.ts";
import { refusal } from "../refusals.ts";
import { policyCodeOf } from "../resilience/policy-code.ts";
import { homeOf } from "../session/home.ts";
import { environmentForOthers } from "../session/own-secrets.ts";
import type { Session } from "../session/session.ts";
import { Snapshot } from "../session/snapshot.ts";
import {
  type FolderHere,
  folderAway,
  folderNotOnWorker,
  materializedFiles,
  scriptsEnvironment,
  workingDirOf,
} from "./places.ts";

export interface ClosableWorld extends StepWorld {
  /** On a worker: where a folder of the workflow is. */
  readonly folderHere?: FolderHere;
  close(): Promise<void>;
}

interface RealDrive {
  readonly provider?: string;
  readonly materialized?: string;
  /** What the scenario of the run was read from. */
  readonly scenarioFiles?: Iterable<string>;
  /** The folders that coding agents worked in, in earlier drives. */
  readonly agentFolders?: ReadonlySet<string>;
}

export function realWorld(
  session: Session,
  workflow: LoadedWorkflow,
  redactor: Redactor,
  { provider, materialized, scenarioFiles = [], agentFolders: before }: RealDrive,
): ClosableWorld {
  const { extensions } = session;
  const folderHere: FolderHere = materialized
    ? materializedFiles(materialized, () => familySources(workflow))
    : () => undefined;
  const agentFolders = new Set(before);
  const env = scriptsEnvironment(environmentForOthers(session), workflow, { provider, agentFolders });
  for (const one of familyOf(workflow))
    for (const secret of [...providerSecrets(one), ...secretValues(one, session.env)]) redactor.learn(secret);
  const sessions = new Map<string, readonly Message[]>();
  const prices = filePrices(session);
  const agentSessions = new Map<string, string>();
  let providers: Promise<typeof import("../../providers/index.ts")> | undefined;
  const load = () => (providers ??= import("../../providers/index.ts"));
  const guarded = guardedBy(session, workflow, scenarioFiles);
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
      const away = materialized === undefined ? undefined : folderAway(asked, attempt, isCoding);
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
        prices,
        coding: {
          processes: await agentProcesses(),
          guarded: await guarded(attempt.workflow.dir),
          sessions: agentSessions,
        },
        providers: extensions?.providers,
        breaker: breakers && modelBreaker(breakers),
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
    folderHere: materialized ? folderHere : undefined,
    async run(request, attempt) {
      const cwd = folderHere(request.cwd);
      const joined = () => redactor.stream({ isJoinedOnly: true });
      const ran = await outside.run({ ...request, ...(cwd === undefined ? {} : { cwd }), joined }, attempt);
      if (ran.started && ran.exitCode === 0) return ran;
      const isAway = materialized !== undefined && (cwd !== undefined || !existsSync(request.cwd));
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
      // The journal keeps what the step puts into its error, and no resume needs the request.
      const shown = { address: redactor.text(request.url), redact: (value: unknown) => redactor.value(value) };
      return result.answered
        ? { ...result, ...shown }
        : { ...result, ...shown, message: redactor.text(result.message) };
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

/**
 * Agents must not read what Segno keeps: the home of this session, the user's own with what they trust, and those of the
 * projects that the session and the file are in. Nor may they change what it executes or goes by: the sources of the run,
 * the code of its policies, its scenario, and the files of these projects.
 */
function guardedBy(
  standing: Session,
  workflow: LoadedWorkflow,
  scenario: Iterable<string>,
): (dir: string) => Promise<GuardedPaths> {
  const around = new Map<string, ReturnType<typeof projectAround>>();
  const { cwd, env, project, readsFrom } = standing;
  const policies = policyCodeOf(workflow, readsFrom?.snapshot ?? new Snapshot());
  const code = [...policies.texts.keys()].map((address) => fileURLToPath(address));
  const own = userFolder(env);
  return async (dir) => {
    const projects = await Promise.all([dir, cwd].map((one) => keptIn(around, one, () => projectAround(one, env))));
    const files = [...(project?.actingFiles ?? []), ...projects.flatMap(({ actingFiles }) => actingFiles)];
    const homes = projects.flatMap(({ home }) => home ?? []);
    return {
      readOnly: [...new Set([...familySources(workflow).keys(), ...code, ...scenario, ...files])],
      unreadable: [...new Set([homeOf(standing), ...(own === undefined ? [] : [join(own, ".segno")]), ...homes])],
    };
  };
}

/** The breakers of an attempt in the shapes that providers ask for: one for each model, one for each MCP server. */
const modelBreaker = (breakers: CallBreakers): Breaker => ({
  admit: ({ provider, model }, hasOther) => breakers.admit(modelTarget(provider, model), hasOther),
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

/** Undefined: the built-in list holds. Throws a refusal when the file cannot be used. */
export function filePrices(
  session: Pick<Session, "cwd" | "env" | "home">,
): (PriceList & { readonly file: string }) | undefined {
  const named = session.env.SEGNO_PRICES;
  const own = join(homeOf(session), "prices.json");
  const file = named ? resolve(session.cwd, named) : existsSync(own) ? own : undefined;
  return file === undefined ? undefined : { ...readPrices(file), file };
}

function readPrices(file: string): PriceList {
  let content: unknown;
  try {
    content = parseJson(readFileSync(file, "utf8"));
  } catch (problem) {
    throw wrong(file, problem instanceof Error ? problem.message : String(problem));
  }
  if (!isMapping(content) || typeof content.as_of !== "string" || !isMapping(content.models))
    throw wrong(file, "it needs `as_of`, a date, and `models`, prices by the name of the model");
  const models = new Map(
    Object.entries(content.models).map(([model, price]) => [model, priceOf(price, `${file}: ${model}`)] as const),
  );
  return { asOf: content.as_of, models };
}

/** What a cache costs is the input's price where it is left out. */
function priceOf(written: unknown, where: string): Price {
  if (!isMapping(written)) throw wrong(where, "it needs input_per_mtok and output_per_mtok");
  const number = (key: keyof Price, otherwise?: number): number => {
    const value = written[key] ?? otherwise;
    if (typeof value !== "number" || !(value >= 0)) throw wrong(where, `${key} must be dollars per million tokens`);
    return value;
  };
  const input_per_mtok = number("input_per_mtok");
  return {
    input_per_mtok,
    output_per_mtok: number("output_per_mtok"),
    cache_read_per_mtok: number("cache_read_per_mtok", input_per_mtok),
    cache_write_per_mtok: number("cache_write_per_mtok", input_per_mtok),
  };
}

const wrong = (where: string, why: string) => refusal(`the prices in ${where} cannot be used: ${why}`);
