// What Codex says and asks while it works, as calls of the hooks.
import { isMapping } from "../../../base/errors/mapping.ts";
import { parseJson } from "../../../base/json/bounded.ts";
import { NO_TOKENS } from "../../../providers/tokens.ts";
import type { CodingHooks } from "../agent.ts";
import { describeWish } from "../permissions.ts";

type Params = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);

export interface EndedTurn {
  readonly status: string;
  readonly error: unknown;
}

export class CodexListener {
  /** The agent's own thread; others are of agents that it has started, whose word is for it and not the step's. */
  thread: string | undefined;
  calls = 0;
  /** The last message: those before it went along with tools. */
  answer = "";
  /** How much of the subscription is used, as it was reported last. */
  limits: unknown;
  /** Changes of files that are under way, by item. */
  readonly changing = new Map<string, readonly Params[]>();
  readonly #wanted = new Map<string, { readonly name: string; readonly input: unknown }>();
  readonly #running = new Map<string, string>();
  /** The turns that have begun, of all threads. */
  readonly #turns = new Set<string>();
  /** Calls that have items of their own. */
  readonly #seen = new Set<string>();
  #turnEnded: (turn: EndedTurn) => void = () => {};
  readonly ended: Promise<EndedTurn> = new Promise((resolve) => {
    this.#turnEnded = resolve;
  });
  /** Informed when a tool has ended, or a call was made without one: the places to stop at a limit. */
  called: (isTool: boolean) => void = () => {};

  constructor(
    private readonly hooks: CodingHooks,
    private readonly model: () => string | undefined,
    /** Who wants more than the sandbox asks; otherwise Codex refuses it by itself. */
    private readonly asksPeople = false,
  ) {}

  hear(method: string, params: Params): void {
    this.hooks.heard();
    const isOwn = params.threadId === undefined || params.threadId === this.thread;
    if (isOwn) this.#hearOwn(method, params);
    switch (method) {
      case "turn/started":
        this.#turns.add(isMapping(params.turn) ? text(params.turn.id) : "");
        break;
      case "item/started":
        if (isMapping(params.item)) this.#began(params.item);
        break;
      case "item/completed":
        if (isMapping(params.item)) this.#completed(params.item);
        break;
      case "rawResponseItem/completed":
        if (isMapping(params.item)) this.#raw(params.item);
        break;
      case "account/rateLimits/updated":
        this.limits = params.rateLimits;
        break;
      case "thread/tokenUsage/updated":
        // A session that goes on tells its last use again before the turn, which was counted when it was new.
        if (this.#turns.has(text(params.turnId)) || (params.turnId === undefined && this.#turns.size > 0))
          this.#used(params.tokenUsage, isOwn);
        break;
      default:
    }
  }

  /** What only the agent itself says to the step. */
  #hearOwn(method: string, params: Params): void {
    switch (method) {
      case "turn/started":
        this.hooks.turn();
        break;
      case "item/agentMessage/delta":
        this.hooks.text(text(params.delta));
        break;
      case "item/reasoning/summaryTextDelta":
      case "item/reasoning/textDelta":
        this.hooks.reasoning(text(params.delta));
        break;
      case "item/completed":
        if (isMapping(params.item) && params.item.type === "agentMessage")
          this.answer = text(params.item.text) || this.answer;
        break;
      case "turn/completed":
        if (isMapping(params.turn)) this.#turnEnded({ status: text(params.turn.status), error: params.turn.error });
        break;
      default:
    }
  }

  end(): void {
    for (const name of this.#running.values()) this.hooks.toolCompleted(name, "it was ended with the agent", true);
    this.#running.clear();
  }

  /** A command that the sandbox stopped at once has no item of its own: it is reported from the raw call and output. */
  #raw(item: Params): void {
    const id = text(item.call_id);
    if (item.type === "function_call" || item.type === "custom_tool_call")
      this.#wanted.set(id, { name: text(item.name), input: item.arguments ?? item.input });
    const call = this.#wanted.get(id);
    if (!call || !/_call_output$/.test(text(item.type))) return;
    this.#wanted.delete(id);
    if (this.#seen.has(id)) return;
    this.hooks.toolStarted(call.name, call.input);
    this.hooks.toolCompleted(call.name, item.output, true);
    const escalated = escalatedCommand(call.input);
    if (escalated !== undefined && !this.asksPeople) this.hooks.denied(describeEscalation(escalated));
  }

  #began(item: Params): void {
    this.#seen.add(text(item.id));
    const call = callOf(item);
    if (item.type === "fileChange") this.changing.set(text(item.id), changesOf(item));
    if (!call) return;
    // The model was called again when it wants a tool after the first.
    this.#running.set(text(item.id), call.name);
    this.hooks.toolStarted(call.name, call.input);
  }

  #completed(item: Params): void {
    this.#running.delete(text(item.id));
    const call = callOf(item);
    if (call) this.hooks.toolCompleted(call.name, resultOf(item), item.status !== "completed");
    if (call || item.type === "dynamicToolCall") this.called(true);
  }

  #used(usage: unknown, isOwn: boolean): void {
    const last = isMapping(usage) ? usage.last : undefined;
    if (!isMapping(last)) return;
    if (this.calls > 0 && isOwn) this.hooks.turn();
    this.calls += 1;
    this.hooks.used({
      tokens: {
        ...NO_TOKENS,
        input: count(last.inputTokens),
        output: count(last.outputTokens),
        cacheRead: count(last.cachedInputTokens),
        cacheWrite: count(last.cacheWriteInputTokens),
        reasoning: count(last.reasoningOutputTokens),
      },
      model: this.model() || undefined,
    });
    // Of a tool that it does not have no more is heard than that the model was called again.
    this.called(false);
  }
}

function escalatedCommand(input: unknown): string | undefined {
  try {
    const wanted = typeof input === "string" ? parseJson(input) : input;
    if (!isMapping(wanted) || wanted.sandbox_permissions !== "require_escalated") return undefined;
    return text(wanted.cmd) || text(wanted.command);
  } catch {
    return undefined;
  }
}

const describeEscalation = (command: string, reason = ""): string =>
  describeWish({
    verb: "run",
    name: command,
    details: { "it says": reason },
    thing: "this command outside of its sandbox",
  });

/** A call of one of Codex's own tools; Segno's are reported where they run. */
function callOf(item: Params): { readonly name: string; readonly input: unknown } | undefined {
  switch (item.type) {
    case "commandExecution":
      return { name: "shell", input: { command: item.command, cwd: item.cwd } };
    case "fileChange":
      return { name: "apply_patch", input: { changes: item.changes } };
    case "mcpToolCall":
      return { name: `${text(item.server)}__${text(item.tool)}`, input: item.arguments };
    case "webSearch":
      return { name: "web_search", input: { query: item.query } };
    default:
      return undefined;
  }
}

const changesOf = (item: Params): readonly Params[] =>
  Array.isArray(item.changes) ? item.changes.filter(isMapping) : [];

function resultOf(item: Params): unknown {
  if (item.type === "commandExecution") return { output: item.aggregatedOutput ?? "", exit_code: item.exitCode };
  if (item.type === "fileChange") return item.status;
  return item.result ?? item.error ?? item.status;
}

export class PermissionRequests {
  /** It asked, and there was no one to answer. */
  asksInVain = false;

  constructor(
    private readonly hooks: CodingHooks,
    private readonly listener: CodexListener,
  ) {}

  async answer(method: string, params: Params): Promise<unknown> {
    switch (method) {
      case "item/tool/call": {
        const call = { id: text(params.callId), name: text(params.tool), input: params.arguments };
        const { text: said, failed } = await this.hooks.runTool(call);
        return { contentItems: [{ type: "inputText", text: said }], success: !failed };
      }
      case "item/commandExecution/requestApproval":
        return await this.#decide(describeEscalation(text(params.command), text(params.reason)), withoutIds(params));
      case "item/fileChange/requestApproval": {
        const changes = this.listener.changing.get(text(params.itemId)) ?? [];
        const paths = changes.map(({ path }) => text(path));
        const diff = changes.map((change) => `${text(change.path)}:\n${text(change.diff)}`).join("\n");
        const wish = describeWish({
          verb: "change",
          name: paths.join("\n") || "files",
          details: { diff },
          thing: "these files",
        });
        return await this.#decide(wish, { ...withoutIds(params), changes });
      }
      case "mcpServer/elicitation/request":
        return { action: "decline", content: null };
      default:
        return undefined;
    }
  }

  async #decide(what: string, request: unknown): Promise<{ readonly decision: string }> {
    const answer = await this.hooks.permit(what, request);
    this.asksInVain ||= answer === "later";
    return { decision: answer === "allow" ? "accept" : answer === "later" ? "cancel" : "decline" };
  }
}

/** The same request has other ids and times, and maybe another sentence to justify it, when an agent makes it again. */
const withoutIds = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([name]) => name !== "reason" && !/(?:Id|At|AtMs)$/.test(name)));
