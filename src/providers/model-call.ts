// A model called for an agent step, from the request to the answer: whose model it is, its tools, its memory, and the
// next model of the list when one cannot be reached.
import { type Raised, raised } from "../errors/index.ts";
import type { Attempt } from "../steps/executor.ts";
import type { ModelRequest, ModelResult } from "../steps/world.ts";
import { readAnswer } from "./answer.ts";
import { converse } from "./conversation.ts";
import type { Pricing } from "./cost.ts";
import { failureDetails, ProviderFailure } from "./failure.ts";
import type { McpPool } from "./mcp/pool.ts";
import { type CallOptions, callOptions, providerSettings } from "./options.ts";
import type { Message, Provider } from "./provider.ts";
import { findProvider, type Served, servedBy } from "./registry.ts";
import { addSpent, asUsage, NOTHING_SPENT, type Spent } from "./tokens.ts";
import { openToolbox, type Toolbox, ToolboxFailure } from "./toolbox.ts";

/** Asked before a model is called, told after. `circuit.open` makes the next model of the list come first. */
export interface Breaker {
  admit(target: Served): Raised | undefined | Promise<Raised | undefined>;
  report(target: Served, error: Raised | undefined): void | Promise<void>;
}

/** What a run hands to every call of a model. */
export interface ModelEnvironment {
  /** Where keys and base URLs come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly mcp?: McpPool;
  /** Conversations by `session_key`, kept as long as the run; the caller owns the map. */
  readonly sessions?: Map<string, readonly Message[]>;
  /** `workflow.cost.pricing`. */
  readonly pricing?: Pricing;
  /** Providers of the library's user, by name. */
  readonly providers?: Readonly<Record<string, Provider>>;
  readonly breaker?: Breaker;
  readonly random?: () => number;
  readonly fetch?: typeof fetch;
}

interface Call {
  readonly request: ModelRequest;
  readonly attempt: Attempt;
  readonly environment: ModelEnvironment;
  readonly options: CallOptions;
  readonly toolbox: Toolbox;
  readonly warn: (message: string) => void;
}

type Answered = { readonly result: ModelResult; readonly spent: Spent };

export async function callModel(
  request: ModelRequest,
  attempt: Attempt,
  environment: ModelEnvironment,
): Promise<ModelResult> {
  const options = callOptions(request, attempt);
  try {
    const limits = options.toolOutput;
    const toolbox = await openToolbox({ pool: environment.mcp, wanted: request.tools, attempt, limits });
    return await callInTurn({ request, attempt, environment, options, toolbox, warn: warnOnce(attempt) });
  } catch (error) {
    if (error instanceof ToolboxFailure) return { ok: false, error: error.raised, usage: {} };
    throw error;
  }
}

/** Tries the models in order; what failed ones used is paid as well. */
async function callInTurn(call: Call): Promise<ModelResult> {
  const { request, attempt } = call;
  const models = request.models.length > 0 ? request.models : [""];
  let before = NOTHING_SPENT;
  for (const [index, model] of models.entries()) {
    const { result, spent } = await callOne(call, model);
    before = addSpent(before, spent);
    const usage = { ...result.usage, ...asUsage(result.usage.model ?? model, before) };
    const next = models[index + 1];
    if (result.ok || next === undefined || !isOutOfReach(result.error) || attempt.signal.aborted)
      return { ...result, usage };
    attempt.emit("agent_fallback", { agent_name: attempt.node, from: model, to: next, kind: result.error.kind });
  }
  throw new Error("a list of models has a last one");
}

const isOutOfReach = (error: Raised): boolean => error.kind === "provider.exhausted" || error.kind === "circuit.open";

async function callOne(call: Call, asked: string): Promise<Answered> {
  const { request, attempt, environment, options } = call;
  const requested = providerSettings(request.provider, attempt.workflow.runtime);
  const target = servedBy(
    asked,
    request.provider,
    Boolean(requested.base_url || urlOf(request.provider, environment.env)),
  );
  let model = target.model;
  const failed = (failure: ProviderFailure, attempts: number, spent = NOTHING_SPENT, content?: unknown): Answered => ({
    result: {
      ok: false,
      error: asRaised(target.provider, model, attempts, failure),
      usage: asUsage(model, spent),
      ...(content ? { content } : {}),
    },
    spent,
  });

  let provider: Provider;
  try {
    provider = await findProvider(target.provider, environment.providers);
  } catch (error) {
    if (error instanceof ProviderFailure) return failed(error, 0);
    throw error;
  }
  model = model || provider.defaultModel;
  const named = { provider: target.provider, model };
  const refused = await environment.breaker?.admit(named);
  if (refused)
    return { result: { ok: false, error: refused, usage: asUsage(model, NOTHING_SPENT) }, spent: NOTHING_SPENT };

  const past = (options.sessionKey && environment.sessions?.get(options.sessionKey)) || [];
  const opening: Message = { role: "user", text: request.prompt };
  const done = await converse({
    provider,
    base: {
      model,
      system: request.system,
      schema: request.schema,
      tools: call.toolbox.definitions,
      temperature: options.temperature,
      maxTokens: options.maxTokens,
      effort: options.effort,
      settings: providerSettings(target.provider, attempt.workflow.runtime),
      env: environment.env,
      cwd: options.workingDir,
      fetch: environment.fetch,
    },
    opening: [...past, opening],
    toolbox: call.toolbox,
    options,
    attempt,
    pricing: environment.pricing ?? {},
    random: environment.random ?? Math.random,
    warn: call.warn,
  });

  if (!done.ok) {
    if (done.failure === null) return failed(STOPPED, done.attempts, done.spent, done.text);
    if (done.failure instanceof ToolboxFailure)
      return {
        result: { ok: false, error: done.failure.raised, usage: asUsage(model, done.spent) },
        spent: done.spent,
      };
    const answered = failed(done.failure, done.attempts, done.spent, done.text);
    await environment.breaker?.report(named, answered.result.ok ? undefined : answered.result.error);
    return answered;
  }
  await environment.breaker?.report(named, undefined);
  if (options.sessionKey) environment.sessions?.set(options.sessionKey, done.messages);
  const content = request.schema ? readAnswer(done.turn.text, done.turn.wrapped) : done.turn.text;
  return { result: { ok: true, content, usage: asUsage(model, done.spent) }, spent: done.spent };
}

/** The engine knows why it stopped the step, and reads this only as "it did not end by itself". */
const STOPPED = new ProviderFailure("unavailable", "the call was stopped");

const urlOf = (provider: string, env: ModelEnvironment["env"]): string | undefined =>
  provider === "openai" ? env.OPENAI_BASE_URL : env.ANTHROPIC_BASE_URL;

function asRaised(provider: string, model: string, attempts: number, failure: ProviderFailure): Raised {
  const details = failureDetails(provider, model, attempts, failure);
  const who = model ? `${provider} (${model})` : provider;
  const status = failure.status === null ? "" : ` ${failure.status}`;
  if (failure.reason === "rejected")
    return raised("provider.rejected", `${who} refused the call${status}: ${failure.message}`, details);
  const times = attempts === 1 ? "1 call" : `${attempts} calls`;
  return raised(
    "provider.exhausted",
    `${who} did not answer in ${times}${status ? `, last with${status}` : ""}: ${failure.message}`,
    details,
  );
}

function warnOnce(attempt: Attempt): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    attempt.emit("warning", { node: attempt.node, message });
  };
}
