// What an agent says by `session/update` while it works, as calls of the hooks; and what it is allowed when it asks. What
// does not fit in a message is passed over.
import { isMapping } from "../../../base/errors/mapping.ts";
import { NO_TOKENS } from "../../../providers/tokens.ts";
import type { AgentUse, CodingHooks, CodingTask } from "../agent.ts";
import { isReadProtected, isWriteProtected, leadsInto } from "../guarded.ts";
import { describeWish } from "../permissions.ts";
import { isOwnTool } from "./own-server.ts";

type Mapping = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" && value > 0 ? Math.round(value) : 0);
const mapping = (value: unknown): Mapping => (isMapping(value) ? value : {});
const list = (value: unknown): readonly Mapping[] => (Array.isArray(value) ? value.filter(isMapping) : []);

export class AcpListener {
  /** Updates of other sessions, and of before and after a turn, are not its work. */
  session: string | undefined;
  isInTurn = false;
  /** The last message: those before it went along with tools. */
  answer = "";
  calls = 0;
  called: () => void = () => {};
  /** What the session has cost in all, as far as was said; in dollars. */
  costUsd: number | undefined;
  model: string | undefined;
  /** What is known of calls that have not ended. */
  readonly #open = new Map<string, Mapping>();
  readonly #ended = new Set<string>();
  #message: unknown;
  #isNextTurn = false;

  /** `kinds`: of tools that the agent says no kind of. */
  constructor(
    private readonly hooks: CodingHooks,
    private readonly tools: CodingTask["tools"],
    private readonly kinds: Readonly<Record<string, string>> = {},
  ) {}

  hear(params: unknown): void {
    const { sessionId, update } = mapping(params);
    if (sessionId !== this.session || !isMapping(update)) return;
    // What a loaded session has cost so far comes with its history.
    if (update.sessionUpdate === "usage_update") this.#used(update);
    if (!this.isInTurn) return;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        this.#said(update);
        break;
      case "agent_thought_chunk":
        this.#turn();
        this.hooks.reasoning(text(mapping(update.content).text));
        break;
      case "tool_call":
      case "tool_call_update":
        this.#call(update);
        break;
      default:
      // Plans, modes and lists of commands are no signs of work: an agent could send them for ever.
    }
  }

  /** What a request for permission is about, with what was said of the call before. */
  asked(params: unknown): AskedCall {
    const update = mapping(mapping(params).toolCall);
    const call = { ...this.#open.get(text(update.toolCallId)), ...present(update) };
    const diffs = list(call.content).filter(({ type }) => type === "diff");
    const input = mapping(call.rawInput);
    const located = [...list(call.locations), ...diffs].map(({ path }) => text(path)).filter(Boolean);
    const paths = located.length > 0 ? located : [text(input.path)].filter(Boolean);
    const kind = text(call.kind) || "other";
    return {
      kind: kind === "other" ? (this.kinds[toolOf(call)] ?? kind) : kind,
      title: text(call.title),
      name: toolOf(call),
      paths: [...new Set(paths)],
      input,
      diff: diffs.map(({ path, newText }) => `${text(path)}:\n${text(newText)}`).join("\n"),
    };
  }

  /** The turn is over: what comes now is not heard any more. */
  end(): void {
    this.isInTurn = false;
    for (const id of this.#open.keys()) this.#close(id, "it was ended with the agent", true);
  }

  #said({ content, messageId }: Mapping): void {
    const chunk = text(mapping(content).text);
    if (chunk === "") return;
    this.#turn();
    if (messageId !== this.#message) this.answer = "";
    this.#message = messageId;
    this.answer = (this.answer + chunk).slice(-KEPT_ANSWER);
    this.hooks.text(chunk);
  }

  /** The model was called again when something comes after a tool has ended. */
  #turn(): void {
    if (!this.#isNextTurn) return;
    this.#isNextTurn = false;
    this.answer = "";
    this.hooks.turn();
  }

  #call(update: Mapping): void {
    const id = text(update.toolCallId);
    if (id === "" || this.#ended.has(id)) return;
    const known = this.#open.get(id);
    const call = { ...known, ...present(update) };
    if (!known) {
      this.#turn();
      this.calls += 1;
    }
    this.#open.set(id, call);
    const isOver = call.status === "completed" || call.status === "failed";
    // Its input mostly comes with the first update: it is recorded when it is there, or at the call's end.
    if (!mapping(known).isTold && (isOver || Object.keys(mapping(call.rawInput)).length > 0)) {
      this.#open.set(id, { ...call, isTold: true });
      if (!this.#isOwn(call)) this.hooks.toolStarted(nameOf(call), call.rawInput ?? { title: call.title });
    }
    if (isOver) this.#close(id, resultOf(call), call.status === "failed");
    if (!known) this.called();
  }

  #close(id: string, result: unknown, failed: boolean): void {
    const call = mapping(this.#open.get(id));
    this.#open.delete(id);
    this.#ended.add(id);
    this.#isNextTurn = true;
    if (call.isTold && !this.#isOwn(call)) this.hooks.toolCompleted(nameOf(call), result, failed);
  }

  /** Segno's own are reported where they run. */
  #isOwn(call: Mapping): boolean {
    return isOwnTool(toolOf(call), this.tools) || isOwnTool(text(call.title).split(" ")[0] ?? "", this.tools);
  }

  #used({ cost, _meta }: Mapping): void {
    const { amount, currency } = mapping(cost);
    if (typeof amount === "number" && amount >= 0 && currency === "USD") this.costUsd = amount;
    this.model = text(mapping(_meta)["_claude/model"]) || this.model;
  }
}

/** More than any answer has; what is recorded is counted elsewhere. */
const KEPT_ANSWER = 8 * 1024 * 1024;

const present = (update: Mapping): Mapping =>
  Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined && value !== null));

/** Goose has it among what is its own. */
const toolOf = ({ name, _meta }: Mapping): string =>
  text(name) || text(mapping(mapping(mapping(_meta).goose).toolCall).toolName);

const nameOf = (call: Mapping): string => toolOf(call) || text(call.kind) || text(call.title) || "tool";

const resultOf = ({ rawOutput, content }: Mapping): unknown =>
  rawOutput ??
  list(content)
    .map((part) => text(mapping(part.content).text) || text(part.path))
    .join("\n");

/** What the answer to `session/prompt` says was used in the turn; undefined: nothing. */
export function useOfTurn(response: unknown): Pick<AgentUse, "tokens" | "model"> | undefined {
  const { usage, _meta } = mapping(response);
  const { token_count: quota, model_usage: models } = mapping(mapping(_meta).quota);
  const [only, ...others] = list(models);
  const model = only && others.length === 0 ? text(only.model) : undefined;
  if (isMapping(usage)) {
    const [cacheRead, cacheWrite] = [count(usage.cachedReadTokens), count(usage.cachedWriteTokens)];
    const reasoning = count(usage.thoughtTokens);
    const input = count(usage.inputTokens) + cacheRead + cacheWrite;
    const output = count(usage.outputTokens) + reasoning;
    return { tokens: { input, output, cacheRead, cacheWrite, reasoning }, model };
  }
  if (!isMapping(quota)) return undefined;
  return { tokens: { ...NO_TOKENS, input: count(quota.input_tokens), output: count(quota.output_tokens) }, model };
}

/** As much as is read of a tool call in a request for permission. */
interface AskedCall {
  readonly kind: string;
  readonly title: string;
  readonly name: string;
  readonly paths: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
  readonly diff: string;
}

export function decide(call: AskedCall, task: CodingTask): "allow" | "ask" {
  const { sandbox, network, allow } = task.permissions;
  if (sandbox === "full" || isOwnTool(call.name, task.tools) || isOwnTool(call.title.split(" ")[0] ?? "", task.tools))
    return "allow";
  if (allow.some((rule) => isMeant(rule, call))) return "allow";
  const isInside = call.paths.every((path) => leadsInto(path, task.cwd) && !isReadProtected(path, task));
  switch (call.kind) {
    case "read":
    case "search":
      return isInside ? "allow" : "ask";
    case "edit":
    case "delete":
    case "move": {
      const isGuarded = call.paths.some((path) => isWriteProtected(path, task));
      return sandbox === "workspace" && isInside && !isGuarded ? "allow" : "ask";
    }
    case "execute":
      return sandbox === "workspace" ? "allow" : "ask";
    case "fetch":
      return network ? "allow" : "ask";
    case "think":
      return "allow";
    default:
      return "ask";
  }
}

/** A rule is a kind of ACP's (`fetch`), a tool's name, or the beginning of a title with a star behind it. */
const isMeant = (rule: string, { kind, name, title }: AskedCall): boolean =>
  rule === kind || rule === name || rule === title || (rule.endsWith("*") && title.startsWith(rule.slice(0, -1)));

export function describeAsked({ kind, title, name, paths, input, diff }: AskedCall): string {
  const command = [input.command, input.cmd].find((one): one is string => typeof one === "string");
  const path = paths.join("\n");
  switch (kind) {
    case "execute":
      return describeWish({ verb: "run", name: command ?? title, details: command ? {} : { with: input } });
    case "read":
    case "search":
      return describeWish({ verb: "read", name: path || title, details: { with: input } });
    case "edit":
    case "delete":
    case "move":
      return describeWish({
        verb: kind === "edit" ? "change" : kind,
        name: path || title,
        details: diff ? { diff } : { with: input },
      });
    case "fetch":
      return describeWish({ verb: "fetch", name: String(input.url ?? title) });
    default:
      return describeWish({ verb: "use", name: name || title, details: { title, with: input } });
  }
}
