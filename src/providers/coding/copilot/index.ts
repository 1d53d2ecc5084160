// GitHub Copilot through its SDK, an optional peer that the user installs. Its runtime is a process of its own that the SDK
// starts: it is found by its mark when it has to be ended, and asked now and then whether it is still there.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { schemaInstruction } from "../../answer-shape.ts";
import { ProviderFailure } from "../../failure.ts";
import type { CodingAgent, CodingAnswer, CodingHooks, CodingTask } from "../agent.ts";
import { loadPeer, type Peer } from "../packages.ts";
import { refuseUnconfined } from "../permissions.ts";
import { decide, describeRequest } from "./decide.ts";
import { CopilotListener } from "./listen.ts";
import { clientOptions, sessionOptions } from "./options.ts";
import type { CopilotClient, CopilotDecision, CopilotRequest, CopilotSdk, CopilotSession } from "./sdk.ts";

export const COPILOT_PEER: Peer = { package: "@github/copilot-sdk", title: "the GitHub Copilot SDK" };

/** A killed runtime says nothing, and what was asked of it is never answered. */
const PING_MS = 5000;
const STOP_MS = 2000;

type Load = (task: CodingTask) => Promise<CopilotSdk>;

const loadSdk: Load = async ({ project }) => (await loadPeer(COPILOT_PEER, project)) as CopilotSdk;

export function copilotAgent(load: Load = loadSdk): CodingAgent {
  async function work(task: CodingTask, hooks: CodingHooks): Promise<CodingAnswer> {
    const { signal, processes, mark } = task;
    refuseUnconfined(task.permissions, false, "Copilot has none of its own: use claude-agent-sdk or codex");
    const sdk = await load(task);
    signal.throwIfAborted();
    const client = new sdk.CopilotClient(clientOptions(sdk, task));
    const end = once(async () => {
      await within(STOP_MS, client.stop());
      await processes.endMarked(mark);
    });
    const abort = (): void => void end();
    signal.addEventListener("abort", abort, { once: true });
    try {
      await orAborted(client.start(), signal);
      return await new CopilotWork(client, task, hooks).toItsEnd();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ProviderFailure) throw error;
      throw new ProviderFailure("transient", error instanceof Error ? error.message : String(error));
    } finally {
      signal.removeEventListener("abort", abort);
      await end();
    }
  }

  return { name: "copilot", defaultModel: "", work, hasSession };
}

class CopilotWork {
  readonly #client: CopilotClient;
  readonly #task: CodingTask;
  readonly #hooks: CodingHooks;
  readonly #listener: CopilotListener;
  #asksInVain = false;

  constructor(client: CopilotClient, task: CodingTask, hooks: CodingHooks) {
    this.#client = client;
    this.#task = task;
    this.#hooks = hooks;
    this.#listener = new CopilotListener(hooks, new Set(task.tools.map(({ name }) => name)));
  }

  async toItsEnd(): Promise<CodingAnswer> {
    const { session: wanted, maxTurns, signal } = this.#task;
    await this.#hooks.session(wanted.id);
    const session = await orAborted(this.#open(), signal);
    const unsubscribe = session.on((event) => this.#listener.hear(event));
    let isOutOfTurns = false;
    this.#listener.toolEnded = () => {
      if (this.#listener.calls < maxTurns || isOutOfTurns) return;
      isOutOfTurns = true;
      session.abort().catch(() => {});
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

  #open(): Promise<CopilotSession> {
    const { session, tools } = this.#task;
    const config = {
      ...sessionOptions(this.#task),
      onPermissionRequest: (request: CopilotRequest) => this.#decide(request),
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        parameters: tool.inputSchema,
        handler: async (input: unknown, invocation?: { toolCallId?: string }) =>
          (await this.#hooks.runTool({ id: invocation?.toolCallId ?? tool.name, name: tool.name, input })).text,
      })),
    };
    if (session.isNew || !this.#client.resumeSession)
      return this.#client.createSession({ ...config, sessionId: session.id });
    return this.#client.resumeSession(session.id, config);
  }

  async #send(session: CopilotSession): Promise<unknown> {
    const { prompt, schema } = this.#task;
    if (!schema) return await session.send({ prompt });
    if (!session.rpc) return await session.send({ prompt: `${prompt}\n\n${schemaInstruction(schema)}` });
    const responseFormat = { type: "json_schema", jsonSchema: { name: "answer", schema } };
    return await session.rpc.send({ prompt, responseFormat });
  }

  async #decide(request: CopilotRequest): Promise<CopilotDecision> {
    this.#hooks.heard();
    if (decide(request, this.#task) === "allow") return { kind: "approve-once" };
    const { ask } = this.#task.permissions;
    const answer = ask === "gate" ? await this.#hooks.permit(describeRequest(request)) : "deny";
    if (answer === "allow") return { kind: "approve-once" };
    this.#asksInVain ||= answer === "later";
    return {
      kind: "reject",
      feedback: answer === "later" ? "Somebody is asked. Stop here." : "This is not allowed here.",
    };
  }

  #watch(): NodeJS.Timeout {
    const look = async (): Promise<void> => {
      const lives = await within(PING_MS, this.#client.ping?.() ?? Promise.resolve(true));
      if (lives === undefined) this.#listener.fail(new ProviderFailure("transient", "Copilot's runtime has gone away"));
    };
    return setInterval(() => void look(), PING_MS).unref();
  }
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

/** The SDK knows nothing of signals: whoever waits is let go. */
function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}

/** Copilot keeps a session as `session-state/ID`. */
async function hasSession(home: string, id: string): Promise<boolean> {
  return existsSync(join(home, "session-state", id)) || existsSync(join(home, "session-state", `${id}.jsonl`));
}

export const copilot: CodingAgent = copilotAgent();
