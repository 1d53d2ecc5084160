// GitHub Copilot through its SDK, an optional peer that the user installs. Its runtime is a process of its own that the SDK
// starts: it is found by its mark when it has to be ended, and asked now and then whether it is still there.
import { ProviderFailure } from "../../../providers/failure.ts";
import type { CodingAgent, CodingAnswer, CodingHooks, CodingTask } from "../agent.ts";
import { hasProgram, loadPeer, missingPeer, missingProgram, PEERS, peerFolder } from "../packages.ts";
import { refuseUnconfined } from "../permissions.ts";
import { SessionGone } from "../sessions.ts";
import {
  type CopilotClient,
  type CopilotDecision,
  CopilotListener,
  type CopilotRequest,
  type CopilotSdk,
  type CopilotSession,
  type CopilotToolResult,
} from "./listen.ts";
import { bringCopilotSettings, clientOptions, decide, describeRequest, sessionOptions, withoutIds } from "./options.ts";

/** A killed runtime says nothing, and what was asked of it is never answered. */
const PING_MS = 5000;
const STOP_MS = 2000;

type Load = (task: CodingTask) => Promise<CopilotSdk>;

const loadSdk: Load = async ({ project }) => (await loadPeer(PEERS.copilot, project)) as CopilotSdk;

export function copilotAgent(load: Load = loadSdk): CodingAgent {
  async function work(task: CodingTask, hooks: CodingHooks): Promise<CodingAnswer> {
    const { signal, processes, mark } = task;
    refuseUnconfined(task.permissions, false, "Copilot has none of its own: use claude-agent-sdk or codex");
    const sdk = await load(task);
    signal.throwIfAborted();
    if (task.permissions.settings === "user") await bringCopilotSettings(task);
    const client = new sdk.CopilotClient(clientOptions(sdk, task));
    let ending: Promise<void> | undefined;
    const end = (): Promise<void> => (ending ??= within(STOP_MS, client.stop()).then(() => processes.endMarked(mark)));
    const abort = (): void => void end();
    signal.addEventListener("abort", abort, { once: true });
    try {
      await orAborted(client.start(), signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw failureOfStart(error, task);
      });
      return await new CopilotWork(client, task, hooks).toItsEnd();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ProviderFailure || error instanceof SessionGone) throw error;
      throw new ProviderFailure("transient", error instanceof Error ? error.message : String(error));
    } finally {
      signal.removeEventListener("abort", abort);
      await end();
    }
  }

  return { name: "copilot", defaultModel: "", work };
}

class CopilotWork {
  readonly #listener: CopilotListener;
  #asksInVain = false;
  #stop: () => void = () => {};

  constructor(
    private readonly client: CopilotClient,
    private readonly task: CodingTask,
    private readonly hooks: CodingHooks,
  ) {
    this.#listener = new CopilotListener(hooks, new Set(task.tools.map(({ name }) => name)));
  }

  async toItsEnd(): Promise<CodingAnswer> {
    const { session: wanted, maxTurns, signal } = this.task;
    if (wanted.isNew) await this.hooks.session(wanted.id);
    const session = await orAborted(this.#open(), signal);
    if (!wanted.isNew) await this.hooks.session(wanted.id);
    this.#stop = () => void session.abort().catch(() => {});
    const unsubscribe = session.on((event) => this.#listener.hear(event));
    let isOutOfTurns = false;
    this.#listener.toolEnded = () => {
      if (this.#listener.calls < maxTurns || isOutOfTurns) return;
      isOutOfTurns = true;
      this.#stop();
    };
    const watch = this.#watch();
    try {
      this.#send(session).catch((error: unknown) =>
        this.#listener.fail(new ProviderFailure("transient", error instanceof Error ? error.message : String(error))),
      );
      await orAborted(this.#listener.idle, signal);
    } finally {
      clearInterval(watch);
      unsubscribe();
      await within(STOP_MS, session.disconnect());
    }
    if (this.#asksInVain) return { type: "asks" };
    const { answer: text } = this.#listener;
    return isOutOfTurns ? { type: "out_of_turns", text } : { type: "answered", text };
  }

  async #open(): Promise<CopilotSession> {
    const { session, tools } = this.task;
    const config = {
      ...sessionOptions(this.task),
      onPermissionRequest: (request: CopilotRequest) => this.#decide(request),
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        parameters: tool.inputSchema,
        handler: async (input: unknown, { toolCallId: id }: { toolCallId: string }): Promise<CopilotToolResult> => {
          const { text, failed } = await this.hooks.runTool({ id, name: tool.name, input });
          return { textResultForLlm: text, resultType: failed ? "failure" : "success" };
        },
      })),
    };
    if (session.isNew) return await this.client.createSession({ ...config, sessionId: session.id });
    try {
      return await this.client.resumeSession(session.id, config);
    } catch (error) {
      // It lives, and refuses this session: it has none of that name.
      await this.client.ping();
      throw new SessionGone(session.id, { cause: error });
    }
  }

  async #send(session: CopilotSession): Promise<unknown> {
    const { prompt, schema } = this.task;
    if (!schema) return await session.send({ prompt });
    const responseFormat = { type: "json_schema", jsonSchema: { name: "answer", schema } };
    return await session.rpc.send({ prompt, responseFormat });
  }

  async #decide(request: CopilotRequest): Promise<CopilotDecision> {
    this.hooks.heard();
    if (decide(request, this.task) === "allow") return { kind: "approve-once" };
    const isGate = this.task.permissions.ask === "gate";
    const what = describeRequest(request);
    if (!isGate) this.hooks.denied(what);
    const answer = isGate ? await this.hooks.permit(what, withoutIds(request)) : "deny";
    if (answer === "allow") return { kind: "approve-once" };
    if (answer === "deny") return { kind: "reject", feedback: "This is not allowed here." };
    this.#asksInVain = true;
    this.#stop();
    return { kind: "reject", feedback: "A person has to answer this. Stop here." };
  }

  #watch(): NodeJS.Timeout {
    const look = async (): Promise<void> => {
      const lives = await within(PING_MS, this.client.ping());
      if (lives === undefined) this.#listener.fail(new ProviderFailure("transient", "Copilot's runtime has gone away"));
    };
    return setInterval(() => void look(), PING_MS).unref();
  }
}

/** A runtime that is not there, or of another version, is so the next time as well; one that went away may come back. */
function failureOfStart(error: unknown, { env, project, processes: { machine } }: CodingTask): ProviderFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (/exited|connection|closed|timeout|timed out/i.test(message)) return new ProviderFailure("transient", message);
  if (!env.COPILOT_CLI_PATH && peerFolder(PEERS.copilot, project) && !hasProgram(PEERS.copilot, project, machine))
    return missingProgram(PEERS.copilot, machine);
  return missingPeer(PEERS.copilot, message);
}

/** Undefined when it fails or takes longer. */
async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms).unref();
  });
  try {
    return await Promise.race([promise.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The SDK takes no signals: the wait for it is given up instead. */
function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

export const copilot: CodingAgent = copilotAgent();
