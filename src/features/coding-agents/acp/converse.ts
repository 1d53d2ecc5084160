// The conversation with an agent: who it is, its session, one turn, and how that ended. Whether a turn was cancelled is
// decided here: some agents say of a cancelled turn that it ended well.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMapping } from "../../../base/errors/mapping.ts";
import { schemaInstruction } from "../../../providers/answer.ts";
import { failureOfStatus, ProviderFailure } from "../../../providers/failure.ts";
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

export async function converse(
  process: AgentProcess,
  { task, hooks, launch: { known, title }, server, lastStatus }: Conversation,
): Promise<CodingAnswer> {
  const listener = new AcpListener(hooks, task.tools, known?.kinds);
  /** It speaks ACP: what fails from now on may be the model's. */
  let hasBegun = false;
  /** Why Segno ended the turn. */
  let stopped: "asks" | "out_of_turns" | undefined;
  let stop = (): void => {};
  const handlers = {
    notified: (method: string, params: unknown) => method === "session/update" && listener.hear(params),
    requested: async (method: string, params: unknown) =>
      method === "session/request_permission" ? permit(params) : undefined,
  };
  const agent = new AgentRpc(process, title, handlers, () => (hasBegun ? "transient" : "unready"));
  try {
    return await Promise.race([takeTurn(), agent.gone]);
  } finally {
    listener.end();
  }

  async function takeTurn(): Promise<CodingAnswer> {
    const sessionId = await open();
    // A session's cost is reported as a sum: what this turn adds to it counts.
    const file = join(task.home, `spent-${sessionId.replace(/[^\w-]/g, "_").slice(0, 100)}`);
    const before = listener.costUsd ?? (Number(await readFile(file, "utf8").catch(() => "0")) || 0);
    const cancelled = new Promise<undefined>((resolve) => {
      stop = () => {
        listener.end();
        agent.notify("session/cancel", { sessionId });
        setTimeout(() => resolve(undefined), STOP_MS).unref();
      };
    });
    listener.called = () => {
      if (listener.calls > task.maxTurns) cancel("out_of_turns");
    };
    listener.isInTurn = true;
    hooks.turn();
    const prompt = [{ type: "text", text: promptOf(task) }];
    const asked = agent.call("session/prompt", { sessionId, prompt }).catch((error: unknown) => {
      if (!stopped) throw failureOfRequest(error, lastStatus());
    });
    const response = await Promise.race([asked, cancelled]).finally(() => listener.end());
    report(response, before);
    if (listener.costUsd !== undefined) await writeFile(file, String(listener.costUsd), { mode: 0o600 });
    return answered(isMapping(response) ? response.stopReason : undefined);
  }

  async function permit(params: unknown): Promise<unknown> {
    hooks.heard();
    const options = isMapping(params) && Array.isArray(params.options) ? params.options.filter(isMapping) : [];
    const choose = (...kinds: readonly string[]): unknown => {
      const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
      return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
    };
    if (!listener.isInTurn) return choose();
    const call = listener.asked(params);
    const mayUseTools = task.builtIns?.length !== 0;
    if (mayUseTools && decide(call, task) === "allow") return choose("allow_once", "allow_always");
    const what = describeAsked(call);
    const isGate = mayUseTools && task.permissions.ask === "gate";
    if (!isGate) hooks.denied(what);
    switch (isGate ? await hooks.permit(what, call) : "deny") {
      case "allow":
        // Only this: a yes for good would be one to what was not seen.
        return choose("allow_once");
      case "later":
        cancel("asks");
        return choose();
      default:
        return choose("reject_once", "reject_always");
    }
  }

  function cancel(why: "asks" | "out_of_turns"): void {
    if (stopped) return;
    stopped = why;
    stop();
  }

  async function open(): Promise<string> {
    const { session, cwd, model, effort } = task;
    const unready = (why: string) => new ProviderFailure("unready", `${title} ${why}`);
    const hello = await agent
      .call("initialize", {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: "segno", version: "1" },
      })
      .catch((error: unknown) => {
        throw unready(`does not speak ACP (${messageOf(error)})`);
      });
    const { protocolVersion: version, agentCapabilities: can } = hello;
    if (version !== PROTOCOL_VERSION)
      throw unready(`speaks version ${version} of ACP, and Segno version ${PROTOCOL_VERSION}`);
    hasBegun = true;
    hooks.heard();
    const ask = async (method: string, params: Readonly<Record<string, unknown>>) => {
      const answer = await agent.call(method, params).catch((error: unknown) => {
        throw failureOfRequest(error);
      });
      hooks.heard();
      return answer;
    };
    if (known?.signIn) await ask("authenticate", { methodId: known.signIn });
    const about = { cwd, mcpServers: [server.described], _meta: known?.meta?.(task) ?? null };
    if (!session.isNew && !(isMapping(can) && can.loadSession === true)) throw new SessionGone(session.id);
    // Its history comes as updates: only what it has cost is of use.
    if (!session.isNew) listener.session = session.id;
    const { sessionId, configOptions } = session.isNew
      ? await ask("session/new", about)
      : await agent.call("session/load", { sessionId: session.id, ...about }).catch((error: unknown) => {
          throw new SessionGone(session.id, { cause: error });
        });
    const id = session.isNew && typeof sessionId === "string" ? sessionId : session.id;
    listener.session = id;
    if (!known) await choose(id, configOptions, "model", model);
    await choose(id, configOptions, "thought_level", effort ?? "");
    await hooks.session(id);
    return id;
  }

  /** Sets one of the options that the agent itself names, where it has that value. */
  async function choose(sessionId: string, options: unknown, category: string, value: string): Promise<void> {
    if (value === "") return;
    const option = (Array.isArray(options) ? options : []).filter(isMapping).find((one) => one.category === category);
    const wanted = JSON.stringify(value);
    if (!option || !JSON.stringify(option.options ?? []).includes(wanted))
      return hooks.warn(`${title} does not offer ${wanted} as its ${category}: it uses its own.`);
    await agent
      .call("session/set_config_option", { sessionId, configId: String(option.id), value })
      .catch((error) => hooks.warn(`${title} did not take ${wanted} as its ${category}: ${messageOf(error)}`));
  }

  function answered(stopReason: unknown): CodingAnswer {
    const { answer: text } = listener;
    const structured = server.submitted();
    if (stopped === "asks") return { type: "asks" };
    if (stopped === "out_of_turns" || (stopReason === "max_turn_requests" && structured === undefined))
      return { type: "out_of_turns", text };
    if (stopReason === "refusal") throw new ProviderFailure("rejected", `the model refused: ${text.slice(-500)}`);
    if (stopReason === "cancelled") throw new ProviderFailure("transient", "it cancelled its work by itself");
    return { type: "answered", text, structured };
  }

  function report(response: unknown, before: number): void {
    const use = known?.tellsUsage === false ? undefined : useOfTurn(response);
    const { costUsd: sum, model = use?.model } = listener;
    hooks.used({
      tokens: use?.tokens ?? null,
      model: model || undefined,
      costUsd: sum === undefined ? undefined : Math.max(0, sum - before),
      priceUsd: task.settings.price,
    });
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
