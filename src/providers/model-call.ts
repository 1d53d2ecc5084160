// A model called for an agent step, from the request to the answer: whose model it is, its tools, its memory, and the
// next model of the list when one cannot be reached.
import { stat } from "node:fs/promises";
import { type Raised, raised } from "../base/errors/index.ts";
import type { CodingAgent } from "../features/coding-agents/agent.ts";
import type { CodingGround } from "../features/coding-agents/task.ts";
import type { Caller } from "../steps/caller.ts";
import type { ModelRequest, ModelResult } from "../steps/world.ts";
import { parseAnswer } from "./answer.ts";
import { converse } from "./conversation.ts";
import { asRaised, ProviderFailure } from "./failure.ts";
import type { McpPool } from "./mcp/pool.ts";
import { type CallOptions, callOptions, settingsFor } from "./options.ts";
import { BUILT_IN_PRICES, type PriceList, type Prices, type Pricing } from "./prices.ts";
import type { Message, Provider } from "./provider.ts";
import { canonicalName, findCodingAgent, findProvider, isCodingAgent, type Served, servedBy } from "./registry.ts";
import { asUsage, failedEnd, type ModelEnd } from "./tokens.ts";
import { openToolbox, type Toolbox, ToolboxFailure } from "./toolbox.ts";

/** Asked before a model is called, and hears how it went. `circuit.open` makes the next model of the list come first. */
export interface Breaker {
  admit(target: Served, hasOther: boolean): Raised | undefined | Promise<Raised | undefined>;
  report(target: Served, error: Raised | undefined): void | Promise<void>;
}

export interface ModelEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly mcp?: McpPool;
  /** Conversations by `session_key`, kept as long as the run; the caller owns the map. */
  readonly sessions?: Map<string, readonly Message[]>;
  /** `workflow.cost.pricing`; the attempt's own when left out. */
  readonly pricing?: Pricing;
  readonly prices?: PriceList;
  readonly coding?: CodingGround;
  readonly providers?: Readonly<Record<string, Provider>>;
  readonly breaker?: Breaker;
  readonly random?: () => number;
  readonly fetch?: typeof fetch;
}

interface Call {
  readonly request: ModelRequest;
  readonly attempt: Caller;
  readonly environment: ModelEnvironment;
  readonly options: CallOptions;
  readonly toolbox: Toolbox;
  readonly prices: Prices;
  readonly random: () => number;
  readonly warn: (message: string) => void;
}

export async function callModel(
  request: ModelRequest,
  attempt: Caller,
  environment: ModelEnvironment,
): Promise<ModelResult> {
  const options = callOptions(request, attempt);
  const nowhere = await missingFolder(request, options);
  if (nowhere) return { ok: false, error: nowhere, usage: {} };
  try {
    const { toolOutput: limits } = options;
    // What no server offers may be a tool of the agent's own.
    const bringsTools = isCodingAgent(canonicalName(request.provider));
    const toolbox = await openToolbox({ pool: environment.mcp, wanted: request.tools, attempt, limits, bringsTools });
    const pricing = environment.pricing ?? attempt.workflow.pricing ?? {};
    const prices = { pricing, list: environment.prices ?? BUILT_IN_PRICES };
    const { random = Math.random } = environment;
    const warn = warnOnce(attempt);
    return await callInTurn({ request, attempt, environment, options, toolbox, prices, random, warn });
  } catch (error) {
    if (error instanceof ToolboxFailure) return { ok: false, error: error.raised, usage: {} };
    throw error;
  }
}

/** Only a folder that was asked for: the workflow's own is there. */
async function missingFolder(request: ModelRequest, { workingDir }: CallOptions): Promise<Raised | undefined> {
  if (request.options.working_dir === undefined) return undefined;
  const isFolder = await stat(workingDir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return undefined;
  return raised("internal.bad_value", `working_dir is ${workingDir}, but there is no such folder.`, {
    field: "working_dir",
    value: workingDir,
    expected: "a folder that exists, relative to the workflow file",
  });
}

/** Tries the models in order; what failed ones used is recorded under their own names. */
async function callInTurn(call: Call): Promise<ModelResult> {
  const { request, attempt } = call;
  const { node: agent_name } = attempt;
  const models = request.models.length > 0 ? request.models : [""];
  for (const [index, asked] of models.entries()) {
    const next = models[index + 1];
    const end = await callOne(call, asked, next !== undefined);
    const { outcome, spent, changes } = end;
    const usage = asUsage(end, spent);
    if (outcome.ok || next === undefined || !isOutOfReach(outcome.error) || attempt.signal.aborted)
      return { ...outcome, usage, ...(changes ? { changes } : {}) };
    if (usage.model !== undefined) attempt.emit("agent_usage", { agent_name, purpose: request.purpose, ...usage });
    attempt.emit("agent_fallback", { agent_name, from: asked, to: next, kind: outcome.error.kind });
  }
  throw new Error("a list of models has a last one");
}

const isOutOfReach = (error: Raised): boolean => error.kind === "provider.exhausted" || error.kind === "circuit.open";

async function callOne(call: Call, asked: string, hasOther: boolean): Promise<ModelEnd> {
  const { attempt, environment } = call;
  const served = whoServes(call, asked);
  const provider = await findWorker(served.provider, environment.providers).catch((error: unknown) => {
    if (error instanceof ProviderFailure) return error;
    throw error;
  });
  if (provider instanceof ProviderFailure)
    return failedEnd(served.model, asRaised(served, 0, provider, attempt.clock.now()));

  const target = { provider: served.provider, model: served.model || provider.defaultModel };
  const refused = await environment.breaker?.admit(target, hasOther);
  if (refused) return failedEnd(target.model, refused);
  const tried = "work" in provider ? await work(call, provider, target) : await talk(call, provider, target);
  if (!attempt.signal.aborted)
    await environment.breaker?.report(target, tried.outcome.ok ? undefined : tried.outcome.error);
  return { ...tried, provider: served.provider };
}

/** Who was chosen on the command line is asked, also when the file names a model that only another has. */
function whoServes({ request, attempt, environment, warn }: Call, asked: string): Served {
  const url = settingsFor(request.provider, request, attempt).base_url || urlOf(request.provider, environment.env);
  const served = servedBy(asked, request.provider, Boolean(url));
  const chosen = attempt.workflow.provider;
  if (chosen === undefined || canonicalName(chosen) === served.provider) return served;
  warn(`${asked} is not a model of ${chosen}, which was chosen for this run: its default model is asked instead.`);
  return { provider: canonicalName(chosen), model: "" };
}

/** A provider of the library's user wins over an agent of the same name. */
async function findWorker(name: string, defined: ModelEnvironment["providers"] = {}): Promise<Provider | CodingAgent> {
  const agent = Object.hasOwn(defined, name) ? undefined : await findCodingAgent(name);
  return agent ?? (await findProvider(name, defined));
}

async function work(call: Call, agent: CodingAgent, target: Served): Promise<ModelEnd> {
  const { coding: ground, env } = call.environment;
  if (!ground) {
    const why = new ProviderFailure("unready", "there is no run here whose folder it could keep its sessions in");
    return failedEnd(target.model, asRaised(target, 0, why, call.attempt.clock.now()));
  }
  const { workOut } = await import("../features/coding-agents/work.ts");
  return await workOut({ ...call, agent, target, ground, env });
}

async function talk(call: Call, provider: Provider, target: Served): Promise<ModelEnd> {
  const { request, attempt, environment, options, toolbox } = call;
  const { model } = target;
  const past = (options.sessionKey && environment.sessions?.get(options.sessionKey)) || [];
  const done = await converse({
    ...call,
    provider,
    base: {
      model,
      system: request.system,
      schema: request.schema,
      tools: toolbox.definitions,
      temperature: options.temperature,
      maxTokens: options.maxTokens,
      effort: options.effort,
      settings: settingsFor(target.provider, request, attempt),
      env: environment.env,
      cwd: options.workingDir,
      now: () => attempt.clock.now(),
      fetch: environment.fetch,
    },
    opening: [...past, { role: "user", text: request.prompt }],
    mayUseTools: request.tools?.length !== 0,
  });
  if (!done.ok) {
    const { failure: why, attempts, spent, text } = done;
    const error =
      why instanceof ToolboxFailure ? why.raised : asRaised(target, attempts, why ?? STOPPED, attempt.clock.now());
    return failedEnd(model, error, spent, text);
  }
  if (options.sessionKey) environment.sessions?.set(options.sessionKey, done.messages);
  const content = request.schema ? parseAnswer(done.turn.text, done.turn.wrapped) : done.turn.text;
  return { model, responseModel: done.turn.model, spent: done.spent, outcome: { ok: true, content } };
}

/** The engine knows why it stopped the step, and reads this only as "it did not end by itself". */
const STOPPED = new ProviderFailure("unavailable", "the call was stopped");

const urlOf = (provider: string, env: ModelEnvironment["env"]): string | undefined =>
  provider === "openai" ? env.OPENAI_BASE_URL : env.ANTHROPIC_BASE_URL;

function warnOnce(attempt: Caller): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    attempt.emit("warning", { node: attempt.node, message });
  };
}
