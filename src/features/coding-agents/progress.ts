// An agent's progress: what it says while it works becomes events, and what later code needs is kept.
import type { AgentDenial } from "../../base/errors/index.ts";
import type { SaidEvents } from "../../providers/answer-stream.ts";
import { settingsFor } from "../../providers/options.ts";
import {
  anthropicName,
  bareName,
  costAt,
  countedAs,
  type Price,
  type Priced,
  type PriceList,
  priceOf,
} from "../../providers/prices.ts";
import type { TokenCounts } from "../../providers/provider.ts";
import { asUsage } from "../../providers/tokens.ts";
import { ToolboxFailure } from "../../providers/toolbox.ts";
import type { Caller } from "../../steps/caller.ts";
import type { AgentUse, CodingHooks } from "./agent.ts";
import { exactly, wishInOneLine } from "./permissions.ts";
import type { AgentPatience } from "./sessions.ts";
import type { CodingCall } from "./task.ts";

/** Its end is kept, to show how far an agent came that did not answer. */
const KEPT_TEXT = 20_000;

export interface TaskEars {
  readonly said: SaidEvents;
  readonly patience: AgentPatience;
  count(chunk: string): void;
  stop(): void;
}

export class AgentProgress {
  /** Something came of the session: it is worth going on with. */
  hasBegun = false;
  /** Of all its calls so far. */
  inputTokens = 0;
  text = "";
  /** A server failed under one of Segno's tools: the step raises that, whatever the agent makes of it. */
  toolFailure: ToolboxFailure | undefined;
  #turns = 0;

  constructor(
    private readonly call: CodingCall,
    /** Keeps the session, and says whether it is one that goes on. */
    private readonly keepSession: (id: string) => boolean,
  ) {}

  hooks({ said, patience, count, stop }: TaskEars): CodingHooks {
    const { attempt, target, options, toolbox, warn } = this.call;
    const { node: agent_name, key } = attempt;
    const { maxChars } = options.toolOutput;
    const alive = (): void => patience.heard();
    return {
      session: async (id) => {
        alive();
        const resumed = this.keepSession(id);
        const { sessionKey: session_key } = options;
        attempt.emit("agent_session", {
          agent_name,
          key,
          id,
          provider: target.provider,
          working_dir: options.workingDir,
          ...(session_key ? { session_key } : {}),
          ...(resumed ? { resumed } : {}),
        });
        await attempt.recorded?.();
      },
      spawned: (pid, started_at) => attempt.emit("script_spawned", { agent_name, key, pid, started_at }),
      heard: alive,
      turn: () => {
        alive();
        this.#turns += 1;
        this.text = "";
        const { model } = target;
        attempt.emit("agent_turn_start", { agent_name, turn: this.#turns, ...(model ? { model } : {}) });
      },
      text: (chunk) => {
        alive();
        this.hasBegun = true;
        this.text = (this.text + chunk).slice(-KEPT_TEXT);
        count(chunk);
        said.text(chunk);
      },
      reasoning: (chunk) => {
        alive();
        count(chunk);
        said.reasoning(chunk);
      },
      warn,
      toolStarted: (tool_name, input) => {
        alive();
        this.hasBegun = true;
        said.flush();
        attempt.emit("agent_tool_start", { agent_name, tool_name, arguments: fitEvent(input, maxChars) });
      },
      toolCompleted: (tool_name, result, failed) => {
        alive();
        const kept = fitEvent(result, maxChars);
        attempt.emit("agent_tool_complete", { agent_name, tool_name, result: kept, ...(failed ? { failed } : {}) });
      },
      runTool: async (tool) => {
        this.hasBegun = true;
        said.flush();
        try {
          return await patience.whileWaiting(toolbox.run(tool));
        } catch (error) {
          if (error instanceof ToolboxFailure) {
            this.toolFailure ??= error;
            stop();
          }
          throw error;
        }
      },
      used: (used) => {
        this.inputTokens += used.tokens?.input ?? 0;
        alive();
        return reportUse(this.call, used);
      },
      permit: async (what, request) => {
        if (!attempt.permissions) {
          denyByPolicy(attempt, what, warn);
          return "deny";
        }
        said.flush();
        const asked = exactly(what, request);
        const answer = await patience.whileWaiting(attempt.permissions.ask(asked));
        if (answer === "deny") warnOfDenial(attempt, asked, warn);
        return answer;
      },
      denied: (what) => {
        alive();
        denyByPolicy(attempt, what, warn);
      },
    };
  }
}

// What goes to and fro between an agent and its own tools may be of any size; what is recorded of it is not.

/** As it is, or its beginning with a word about the rest. */
export function fitEvent(value: unknown, maxChars: number): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text === undefined || text.length <= maxChars) return value;
  return `${text.slice(0, maxChars)}\n… (${text.length - maxChars} more characters are not recorded)`;
}

/** Reports what an agent used call by call while it works, so that a budget can end it in the middle. */
function reportUse(call: CodingCall, { tokens, model: answered, costUsd, priceUsd }: AgentUse): boolean {
  const { attempt, request, prices, target, warn } = call;
  const { provider } = target;
  const model = answered ?? target.model;
  // The file's prices are under the name that the file uses.
  const name = prices.pricing[target.model] ? target.model : model;
  const known = tokens && priceOf(name, tokens, prices.pricing, prices.list);
  const listed: Priced = priceUsd === undefined ? (known ?? { usd: null }) : { usd: priceUsd };
  if (listed.usd === null && costUsd === "later") return false;
  const isOwn = listed.usd === null && typeof costUsd === "number";
  const isElsewhere = Boolean(settingsFor(provider, request, attempt).base_url);
  const priced =
    tokens && listed.usd === null && !isOwn ? estimate({ provider, model, isElsewhere }, tokens, prices.list) : listed;
  if (priced.warning) warn(priced.warning);
  const isEstimate = isOwn || priced.isEstimate === true;
  const cost = isOwn ? costUsd : priced.usd;
  const usage = tokens
    ? asUsage({ model, provider, responseModel: answered }, { tokens, costUsd: cost, isEstimate })
    : { model: model || provider, provider, cost_usd: cost, ...(isEstimate ? { estimated: true } : {}) };
  if (usage.model === undefined) return true;
  attempt.emit("agent_usage", { agent_name: attempt.node, purpose: request.purpose, ...usage, under_way: true });
  return true;
}

// What an agent was denied: by its sandbox's policy, or by a person who was asked. Kept for the attempt, since an agent that
// is asked again for its answer was denied what it was denied before.

/** More say nothing more. */
const MOST = 100;

const byPolicy = new WeakMap<Caller, AgentDenial[]>();

/** Without anyone being asked. A warning of the run names it. */
function denyByPolicy(attempt: Caller, request: string, warn: (message: string) => void): void {
  const denied = byPolicy.get(attempt) ?? [];
  const what = wishInOneLine(request);
  byPolicy.set(attempt, denied);
  if (denied.length >= MOST || deniedTo(attempt).some((one) => one.what === what)) return;
  denied.push({ what, by: "policy", at: new Date(attempt.clock.now()).toISOString() });
  warn(
    `${attempt.node} was not allowed to ${what}. Allow it by \`sandbox\`, \`allow\` or \`network\`, or let a person decide with \`ask: gate\`.`,
  );
}

function warnOfDenial(attempt: Caller, request: string, warn: (message: string) => void): void {
  const what = wishInOneLine(request);
  const denial = deniedTo(attempt).find((one) => one.what === what);
  if (denial) warn(`${attempt.node} was not allowed to ${what}: ${denial.by} said no.`);
}

/** In this attempt, and in earlier drives of it by people. */
export function deniedTo(attempt: Caller): readonly AgentDenial[] {
  const byPeople = (attempt.permissions?.given ?? []).filter(({ allowed }) => !allowed);
  const asked = byPeople.map(({ what, by, at }) => ({ what: wishInOneLine(what), by, at }));
  return [...asked, ...(byPolicy.get(attempt) ?? [])];
}

// What an agent's call costs when its model's price is not known. An agent makes many calls, and a budget that does not
// see them limits nothing; so the call is priced as the nearest known model, and where none is near, as the dearest.

/** Whose models an agent uses; one that is not here uses anybody's. */
const OWN_MODELS: Readonly<Record<string, RegExp>> = { codex: /^(?:gpt|o\d)/, "claude-agent-sdk": /^claude/ };

interface Unknown {
  readonly provider: string;
  readonly model: string;
  /** It asks a server of the user's own, which may have anybody's models, or free ones. */
  readonly isElsewhere: boolean;
}

export function estimate({ provider, model, isElsewhere }: Unknown, tokens: TokenCounts, list: PriceList): Priced {
  const wanted = partsOf(model);
  const byNearness = [...list.models]
    .map(([name, price]) => ({ name, price, nearness: nearness(wanted, partsOf(name)) }))
    .sort((one, other) => other.nearness - one.nearness || dearness(other.price) - dearness(one.price));
  const [nearest] = byNearness;
  const own = byNearness.find(({ name }) => OWN_MODELS[provider]?.test(name) ?? true) ?? nearest;
  const dearest = isElsewhere ? undefined : own;
  const counted = nearest && nearest.nearness > 0 ? nearest : dearest;
  if (!counted) return { usd: null };
  const { name, price } = counted;
  return { usd: costAt(price, tokens), isEstimate: true, warning: countedAs(model, name, list) };
}

const partsOf = (model: string): readonly string[] =>
  anthropicName(bareName(model))
    .split(/[-.:]/)
    .filter((part) => part !== "");

/** Of one family: the more of the name's beginning is the same the nearer, then the more of the rest (`mini`, `codex`). */
function nearness(wanted: readonly string[], known: readonly string[]): number {
  const firstOther = wanted.findIndex((part, index) => part !== known[index]);
  const alike = firstOther === -1 ? wanted.length : firstOther;
  if (alike === 0) return 0;
  return alike * 100 + wanted.slice(alike).filter((part) => known.slice(alike).includes(part)).length;
}

const dearness = ({ input_per_mtok, output_per_mtok }: Price): number => input_per_mtok + output_per_mtok;
