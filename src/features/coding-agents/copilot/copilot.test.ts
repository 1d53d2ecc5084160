// Copilot against a stand-in with its SDK's interface: what is asked of it, and what is made of its answers.
import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { testHooks, testTask } from "../../../../test/support/coding-task.ts";
import type { CodingTask } from "../agent.ts";
import { permissionsOf } from "../permissions.ts";
import { copilotAgent } from "./index.ts";
import type { CopilotEvent, CopilotRequest, CopilotSdk } from "./listen.ts";

type Config = Readonly<Record<string, unknown>>;

interface Seen {
  options?: Config;
  config?: Config & { readonly onPermissionRequest?: (request: CopilotRequest) => Promise<{ kind: string }> };
  resumed?: string;
  sent?: Config;
  aborted?: boolean;
  stopped?: boolean;
}

interface StandIn {
  readonly events?: readonly CopilotEvent[];
  /** Before the events come. */
  readonly asks?: CopilotRequest;
  readonly isDead?: boolean;
  readonly whenSent?: () => void;
}

function standIn({ events = [], asks, isDead, whenSent }: StandIn) {
  const seen: Seen = {};
  const decisions: string[] = [];
  const open = (config: Config) => {
    seen.config = config;
    let listener: (event: CopilotEvent) => void = () => {};
    const send = async (request: Config): Promise<void> => {
      seen.sent = request;
      whenSent?.();
      if (asks) decisions.push((await seen.config?.onPermissionRequest?.(asks))?.kind ?? "");
      for (const event of events) listener(event);
    };
    return {
      on: (handler: (event: CopilotEvent) => void) => {
        listener = handler;
        return () => {};
      },
      send,
      rpc: { send },
      abort: async () => {
        seen.aborted = true;
        listener({ type: "session.idle" });
      },
      disconnect: async () => {},
    };
  };
  const sdk: CopilotSdk = {
    RuntimeConnection: { forUri: (url) => url },
    CopilotClient: class {
      constructor(options: Config) {
        seen.options = options;
      }
      async start() {}
      async stop() {
        seen.stopped = true;
      }
      ping(): Promise<unknown> {
        return isDead ? Promise.reject(new Error("gone")) : Promise.resolve(true);
      }
      async createSession(config: Config) {
        return open(config);
      }
      async resumeSession(id: string, config: Config) {
        seen.resumed = id;
        return open(config);
      }
    },
  };
  return { seen, decisions, agent: copilotAgent(async () => sdk) };
}

const IDLE: CopilotEvent = { type: "session.idle" };
const said = (content: string): CopilotEvent => ({ type: "assistant.message", data: { content } });
const run = (parts: StandIn, task: Partial<CodingTask> = {}, hooks = testHooks()) => {
  const { agent, ...rest } = standIn(parts);
  return { ...rest, hooks, answer: agent.work(testTask(task), hooks) };
};

describe("copilot", () => {
  test("says what it does, its own tools too, and counts what it used", async () => {
    const { answer, hooks, seen } = run({
      events: [
        { type: "assistant.turn_start" },
        { type: "assistant.reasoning_delta", data: { deltaContent: "Hm." } },
        { type: "assistant.message_delta", data: { deltaContent: "ok" } },
        { type: "tool.execution_start", data: { toolCallId: "1", toolName: "bash", arguments: { command: "ls" } } },
        { type: "tool.execution_complete", data: { toolCallId: "1", success: true, result: { content: "a.txt" } } },
        { type: "assistant.usage", data: { model: "gpt-5", inputTokens: 10, outputTokens: 3, cacheReadTokens: 2 } },
        said("ok"),
        IDLE,
      ],
    });
    expect(await answer).toEqual({ type: "answered", text: "ok" });
    expect(hooks.heardOf).toEqual([
      ["session", "s-1"],
      ["turn"],
      ["reasoning", "Hm."],
      ["text", "ok"],
      ["toolStarted", "bash", { command: "ls" }],
      ["toolCompleted", "bash", "a.txt", false],
      ["used", { model: "gpt-5", tokens: { input: 10, output: 3, cacheRead: 2, cacheWrite: 0, reasoning: 0 } }],
    ]);
    expect(seen.stopped).toBe(true);
  });

  test("leaves nothing behind on the signal of a run, which may be long and have many such steps", async () => {
    const { signal } = new AbortController();
    await run({ events: [IDLE] }, { signal }).answer;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("gets neither the whole environment nor the user's folder, hooks and instructions", async () => {
    const { answer, seen } = run({ events: [IDLE] }, { env: { PATH: "/bin", MY_SECRET: "s" } });
    await answer;
    expect(seen.options).toMatchObject({ baseDirectory: "/tmp/home", useLoggedInUser: false });
    expect(seen.options?.env).not.toHaveProperty("MY_SECRET");
    expect(seen.config).toMatchObject({ sessionId: "s-1", skipCustomInstructions: true, enableFileHooks: false });
  });

  test("is asked for the shape of its answer", async () => {
    const schema = { type: "object", properties: { a: { type: "number" } } };
    const { answer, seen } = run({ events: [IDLE] }, { schema });
    await answer;
    expect(seen.sent).toMatchObject({ responseFormat: { type: "json_schema", jsonSchema: { schema } } });
  });

  test("goes on in a session that it knows", async () => {
    const { answer, seen } = run({ events: [IDLE] }, { session: { id: "s-0", isNew: false } });
    await answer;
    expect(seen.resumed).toBe("s-0");
  });

  test.each<[string, CopilotRequest, Readonly<Record<string, unknown>>, string]>([
    ["writes below its folder", { kind: "write", fileName: "/tmp/a.txt" }, {}, "approve-once"],
    ["does not write beside it", { kind: "write", fileName: "/etc/a.txt" }, {}, "reject"],
    ["does not climb out of it", { kind: "write", fileName: "/tmp/../etc/a" }, {}, "reject"],
    ["does not touch git's hooks", { kind: "write", fileName: "/tmp/.git/hooks/x" }, {}, "reject"],
    ["does not touch a nested repository", { kind: "write", fileName: "/tmp/sub/.git/config" }, {}, "reject"],
    ["does not make one by another name", { kind: "write", fileName: "/tmp/sub/.GIT/config" }, {}, "reject"],
    ["writes files whose names begin alike", { kind: "write", fileName: "/tmp/.gitignore" }, {}, "approve-once"],
    ["writes nothing under read-only", { kind: "write", fileName: "/tmp/a" }, { sandbox: "read-only" }, "reject"],
    ["reads below its folder", { kind: "read", path: "/tmp/a.txt" }, { sandbox: "read-only" }, "approve-once"],
    ["runs no command", { kind: "shell", fullCommandText: "ls" }, {}, "reject"],
    ["runs commands under full", { kind: "shell", fullCommandText: "ls" }, { sandbox: "full" }, "approve-once"],
    ["fetches nothing", { kind: "url", url: "http://a" }, {}, "reject"],
    ["fetches with the network", { kind: "url", url: "http://a" }, { network: true }, "approve-once"],
  ])("%s", async (_, asks, permissions, decision) => {
    const { answer, decisions } = run({ asks, events: [IDLE] }, { permissions: permissionsOf(permissions) });
    await answer;
    expect(decisions).toEqual([decision]);
  });

  test("asks a person where the file says so, and stops when nobody is there", async () => {
    const hooks = testHooks("later");
    const asks = { kind: "shell", fullCommandText: "npm test" };
    const { answer } = run({ asks, events: [IDLE] }, { permissions: permissionsOf({ ask: "gate" }) }, hooks);
    expect(await answer).toEqual({ type: "asks" });
    expect(hooks.heardOf).toContainEqual(["permit", expect.stringContaining("npm test")]);
  });

  test("says that commands cannot be allowed, since nothing confines them", async () => {
    const { answer } = run({}, { permissions: permissionsOf({ allow: ["shell(npm test)"] }) });
    await expect(answer).rejects.toMatchObject({ reason: "unready", message: expect.stringContaining("codex") });
  });

  test.each([
    [429, "transient"],
    [502, "transient"],
    [null, "transient"],
    [401, "rejected"],
    [400, "rejected"],
  ])("tells by the status %s that the failure is %s", async (statusCode, reason) => {
    const { answer } = run({ events: [{ type: "session.error", data: { message: "no", statusCode } }] });
    await expect(answer).rejects.toMatchObject({ reason, status: statusCode });
  });

  test("does not try again when the quota is used up", async () => {
    const data = { message: "no", statusCode: 402, errorType: "quota" };
    await expect(run({ events: [{ type: "session.error", data }] }).answer).rejects.toMatchObject({
      reason: "unavailable",
    });
  });

  test("stops at its limit of turns", async () => {
    const turn = [
      { type: "assistant.usage", data: { inputTokens: 1 } },
      { type: "tool.execution_start", data: { toolCallId: "1", toolName: "view" } },
      { type: "tool.execution_complete", data: { toolCallId: "1", success: true } },
    ];
    const { answer, seen } = run({ events: [...turn, ...turn] }, { maxTurns: 2 });
    expect(await answer).toMatchObject({ type: "out_of_turns" });
    expect(seen.aborted).toBe(true);
  });

  test("is ended when the step is aborted, though its send never comes back", async () => {
    const stop = new AbortController();
    const ended: string[] = [];
    const processes = { ...testTask().processes, endMarked: async () => void ended.push("tree") };
    const whenSent = (): void => stop.abort(new Error("enough"));
    const { answer, seen } = run({ whenSent }, { signal: stop.signal, processes });
    await expect(answer).rejects.toThrow("enough");
    expect([seen.stopped, ended]).toEqual([true, ["tree"]]);
  });

  test("says that there is no key before anything is started", async () => {
    await expect(run({}, { settings: {} }).answer).rejects.toMatchObject({
      reason: "unready",
      message: expect.stringMatching(/COPILOT_GITHUB_TOKEN.*runtime\.provider/),
    });
  });
});
