// The conversation with an agent: who it is, its session, one turn, and how that ended. Whether a turn was cancelled is
// decided here: some agents say of a cancelled turn that it ended well.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMapping } from "../../../errors/mapping.ts";
import { schemaInstruction } from "../../answer.ts";
import { failureOfStatus, ProviderFailure } from "../../failure.ts";
import type { AgentProcess, CodingAnswer, CodingHooks, CodingTask } from "../agent.ts";
import { AgentRefusal, AgentRpc } from "../agent-rpc.ts";
import { SessionGone } from "../sessions.ts";
import type { AgentLaunch } from "./launch.ts";
import { AcpListener, decide, describeAsked, useOfTurn } from "./listen.ts";
import { type OwnServer, SUBMIT_INSTRUCTION } from "./own-server.ts";

export interface Conversation {
  readonly task: CodingTask;
  readonly hooks: CodingHooks;
  readonly launch: AgentLaunch;
  readonly server: OwnServer;
  lastStatus(): number | undefined;
}

const PROTOCOL_VERSION = 1;

/** How long a cancelled turn may take to end by itself; then its process is ended. */
const STOP_MS = 3000;

export async function converse(process: AgentProcess, conversation: Conversation): Promise<CodingAnswer> {
  const { task, hooks, launch } = conversation;
  const listener = new AcpListener(hooks, task.tools, launch.known?.kinds);
  const turn = new Turn(conversation, listener);
  const agent = new AgentRpc(
    process,
    launch.title,
    {
      notified: (method, params) => method === "session/update" && listener.hear(params),
      requested: async (method, params) => (method === "session/request_permission" ? turn.permit(params) : undefined),
    },
    () => (turn.hasBegun ? "transient" : "unready"),
  );
  try {
    return await Promise.race([turn.toItsEnd(agent), agent.gone]);
  } finally {
    listener.end();
  }
}

class Turn {
  readonly #about: Conversation;
  readonly #listener: AcpListener;
  /** It speaks ACP: what fails from now on may be the model's. */
  hasBegun = false;
  /** Why Segno ended it. */
  #stopped: "asks" | "out_of_turns" | undefined;
  #stop: () => void = () => {};

  constructor(conversation: Conversation, listener: AcpListener) {
    this.#about = conversation;
    this.#listener = listener;
  }

  async toItsEnd(agent: AgentRpc): Promise<CodingAnswer> {
    const sessionId = await this.#open(agent);
    const spent = new SpentBefore(this.#about.task.home, sessionId);
    const before = this.#listener.costUsd ?? (await spent.read());
    const stopped = new Promise<undefined>((resolve) => {
      this.#stop = () => {
        this.#listener.end();
        agent.notify("session/cancel", { sessionId });
        setTimeout(() => resolve(undefined), STOP_MS).unref();
      };
    });
    this.#listener.called = () => {
      if (this.#listener.calls > this.#about.task.maxTurns) this.#cancel("out_of_turns");
    };
    this.#listener.isInTurn = true;
    this.#about.hooks.turn();
    const prompt = [{ type: "text" as const, text: promptOf(this.#about.task) }];
    const asked = agent.call("session/prompt", { sessionId, prompt }).catch((error: unknown) => {
      if (!this.#stopped) throw failureOfRequest(error, this.#about.lastStatus());
    });
    const response = await Promise.race([asked, stopped]).finally(() => this.#listener.end());
    this.#report(response, before);
    if (this.#listener.costUsd !== undefined) await spent.write(this.#listener.costUsd);
    return this.#answer(isMapping(response) ? response.stopReason : undefined);
  }

  async permit(params: unknown): Promise<unknown> {
    this.#about.hooks.heard();
    const options = isMapping(params) && Array.isArray(params.options) ? params.options.filter(isMapping) : [];
    const choose = (...kinds: readonly string[]): unknown => {
      const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
      return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
    };
    if (!this.#listener.isInTurn) return choose();
    const call = this.#listener.asked(params);
    const mayUseTools = this.#about.task.builtIns?.length !== 0;
    if (mayUseTools && decide(call, this.#about.task) === "allow") return choose("allow_once", "allow_always");
    const what = describeAsked(call);
    const isGate = mayUseTools && this.#about.task.permissions.ask === "gate";
    if (!isGate) this.#about.hooks.denied(what);
    switch (isGate ? await this.#about.hooks.permit(what, call) : "deny") {
      case "allow":
        // Only this: a yes for good would be one to what was not seen.
        return choose("allow_once");
      case "later":
        this.#cancel("asks");
        return choose();
      default:
        return choose("reject_once", "reject_always");
    }
  }

  #cancel(why: "asks" | "out_of_turns"): void {
    if (this.#stopped) return;
    this.#stopped = why;
    this.#stop();
  }

  async #open(agent: AgentRpc): Promise<string> {
    const { session, cwd, model, effort } = this.#about.task;
    const { known, title } = this.#about.launch;
    const hello = await agent
      .call("initialize", {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: "segno", version: "1" },
      })
      .catch((error: unknown) => {
        throw new ProviderFailure("unready", `${title} does not speak ACP (${messageOf(error)})`);
      });
    if (hello.protocolVersion !== PROTOCOL_VERSION)
      throw new ProviderFailure(
        "unready",
        `${title} speaks version ${hello.protocolVersion} of ACP, and Segno version ${PROTOCOL_VERSION}`,
      );
    this.hasBegun = true;
    this.#about.hooks.heard();
    const ask = async <Answer>(asked: Promise<Answer>): Promise<Answer> => {
      const answer = await asked.catch((error: unknown) => {
        throw failureOfRequest(error);
      });
      this.#about.hooks.heard();
      return answer;
    };
    if (known?.signIn) await ask(agent.call("authenticate", { methodId: known.signIn }));
    const about = { cwd, mcpServers: [this.#about.server.described], _meta: known?.meta?.(this.#about.task) ?? null };
    const isLoaded = !session.isNew;
    const { agentCapabilities: can } = hello;
    if (isLoaded && !(isMapping(can) && can.loadSession === true)) throw new SessionGone(session.id);
    // Its history comes as updates: only what it has cost is of use.
    if (isLoaded) this.#listener.session = session.id;
    const opened: unknown = isLoaded
      ? await agent.call("session/load", { sessionId: session.id, ...about }).catch((error: unknown) => {
          throw new SessionGone(session.id, { cause: error });
        })
      : await ask(agent.call("session/new", about));
    const { sessionId, configOptions } = isMapping(opened) ? opened : {};
    const id = !isLoaded && typeof sessionId === "string" ? sessionId : session.id;
    this.#listener.session = id;
    if (!known) await this.#choose(agent, id, configOptions, "model", model);
    await this.#choose(agent, id, configOptions, "thought_level", effort ?? "");
    await this.#about.hooks.session(id);
    return id;
  }

  /** Sets one of the options that the agent itself names, where it has that value. */
  async #choose(agent: AgentRpc, sessionId: string, options: unknown, category: string, value: string): Promise<void> {
    if (value === "") return;
    const option = (Array.isArray(options) ? options : []).filter(isMapping).find((one) => one.category === category);
    const values = JSON.stringify(option?.options ?? []);
    if (!option || !values.includes(JSON.stringify(value)))
      return this.#about.hooks.warn(
        `${this.#about.launch.title} does not offer ${JSON.stringify(value)} as its ${category}: it uses its own.`,
      );
    await agent.call("session/set_config_option", { sessionId, configId: String(option.id), value }).catch((error) => {
      this.#about.hooks.warn(
        `${this.#about.launch.title} did not take ${JSON.stringify(value)} as its ${category}: ${messageOf(error)}`,
      );
    });
  }

  #answer(stopReason: unknown): CodingAnswer {
    const { answer: text } = this.#listener;
    const structured = this.#about.server.submitted();
    if (this.#stopped === "asks") return { type: "asks" };
    if (this.#stopped === "out_of_turns" || (stopReason === "max_turn_requests" && structured === undefined))
      return { type: "out_of_turns", text };
    if (stopReason === "refusal") throw new ProviderFailure("rejected", `the model refused: ${text.slice(-500)}`);
    if (stopReason === "cancelled") throw new ProviderFailure("transient", "it cancelled its work by itself");
    return { type: "answered", text, ...(structured === undefined ? {} : { structured }) };
  }

  /** A session's cost is reported as a sum: what this turn added to it counts. */
  #report(response: unknown, before: number): void {
    const { price } = this.#about.task.settings;
    const use = this.#about.launch.known?.tellsUsage === false ? undefined : useOfTurn(response);
    const { costUsd: sum, model = use?.model } = this.#listener;
    const costUsd = sum === undefined ? undefined : Math.max(0, sum - before);
    this.#about.hooks.used({
      tokens: use?.tokens ?? null,
      ...(model ? { model } : {}),
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(price === undefined ? {} : { priceUsd: price }),
    });
  }
}

/** What a session had cost when Segno last heard of it. */
class SpentBefore {
  readonly #file: string;

  constructor(home: string, session: string) {
    this.#file = join(home, `spent-${session.replace(/[^\w-]/g, "_").slice(0, 100)}`);
  }

  async read(): Promise<number> {
    return Number(await readFile(this.#file, "utf8").catch(() => "0")) || 0;
  }

  async write(amount: number): Promise<void> {
    await writeFile(this.#file, String(amount), { mode: 0o600 });
  }
}

function promptOf({ system, prompt, schema, session }: CodingTask): string {
  const shape = schema
    ? `${SUBMIT_INSTRUCTION} Only if you do not have that tool: ${schemaInstruction(schema)}`
    : undefined;
  return [session.isNew ? system : "", prompt, shape].filter(Boolean).join("\n\n");
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// What an agent's error means: worth another try, or not. ACP has no place for a status of the model's API: it is looked for
// where agents put it.

const AUTH_REQUIRED = -32000;
const NO_SUCH: readonly unknown[] = [-32601, -32602];

/** `lastStatus` is what the model answered last, as far as Segno saw it. */
function failureOfRequest(error: unknown, lastStatus?: number): unknown {
  if (!(error instanceof AgentRefusal)) return error;
  const message = [error.message, ...detailsOf(error)].join(": ").slice(0, MOST);
  const status = statusIn(error, message) ?? (isStatus(lastStatus) ? lastStatus : null);
  if (status !== null) return failureOfStatus(status, message);
  if (error.code === AUTH_REQUIRED)
    return new ProviderFailure("rejected", `it asks for a login, which is not used here: ${message}`);
  return new ProviderFailure(NO_SUCH.includes(error.code) ? "rejected" : "transient", message);
}

const MOST = 2000;

function detailsOf({ data }: AgentRefusal): string[] {
  const texts = isMapping(data) ? [data.details, data.message, data.error] : [data];
  return texts.filter((one): one is string => typeof one === "string" && one !== "");
}

const isStatus = (value: unknown): value is number => typeof value === "number" && value >= 400 && value < 600;

function statusIn({ code, data }: AgentRefusal, message: string): number | null {
  const { status, statusCode, code: inner } = isMapping(data) ? data : {};
  const found = [code, status, statusCode, inner].find(isStatus);
  if (found !== undefined) return found;
  const written = /\b(?:status(?: code)?|code|API Error|HTTP)["':= ]+([45]\d\d)\b|^([45]\d\d)\b/i.exec(message);
  return written ? Number(written[1] ?? written[2]) : null;
}
