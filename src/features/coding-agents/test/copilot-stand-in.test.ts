// Copilot's own SDK with a stand-in for its runtime at the other end of the wire: every call that Segno makes of the SDK,
// and the ends that a real runtime does not have on demand.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Answer } from "../../../../test/fakes/index.ts";
import { MovedClock } from "../../../../test/support/moved-clock.ts";
import { until } from "../../../../test/support/until.ts";
import { answerGate } from "../../../services/gates/gates.ts";
import { codingPlayground, describeStandIn, inTurn, processesWith, SLEEPERS, saidIn, told } from "./workshop.ts";

const play = codingPlayground();

const provider = (more = ""): string =>
  `{ name: copilot, type: openai, wire_api: completions, base_url: "${play().fake.url}/v1", api_key: nobody${more} }`;

const file = (step: string, more = ""): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: ${provider()}, default_model: gpt-5, working_dir: work${more} }
agents:
  - { name: fix, ${step} }
`;

const create = (path: string) => ({
  text: "I write it.",
  thinking: "It should be written.",
  tools: [{ name: "create", input: { path, file_text: "one\ntwo\n" } }],
});
const bash = (command: string) => ({ tools: [{ name: "bash", input: { command } }] });

const run = async (step: string, answers: readonly Answer[], more: { file?: string; options?: object } = {}) => {
  const at = play().standIn();
  at.play = inTurn(...answers);
  at.write({ "main.yaml": file(step, more.file) });
  return await at.run("main.yaml", more.options);
};

const configOf = () =>
  play()
    .standInHeard()
    .find(({ config }) => config)?.config;

describeStandIn("at work", () => {
  it("writes a file, says what it does, what it used and what it changed, and answers in the asked shape", async () => {
    const at = play();
    const { result, events } = await run("prompt: Write it., output: { done: { type: boolean } }", [
      create(join(at.work, "a.txt")),
      { json: { done: true } },
    ]);
    expect(result).toMatchObject({ status: "completed" });
    const [completed] = told(events, "agent_completed");
    expect(completed).toMatchObject({
      changes: { files: [{ path: "a.txt", change: "added", added: 2, removed: 0 }], added: 2, removed: 0 },
    });
    expect(completed?.output).toEqual({ done: true });
    expect(told(events, "agent_tool_start")).toMatchObject([{ tool_name: "create" }]);
    expect(told(events, "agent_tool_complete")).toMatchObject([{ tool_name: "create", result: "created" }]);
    expect(saidIn(events, "agent_message")).toContain("I write it.");
    expect(saidIn(events, "agent_reasoning")).toBe("It should be written.");
    expect(told(events, "agent_usage")).toMatchObject([
      { model: "gpt-5", input_tokens: 10, output_tokens: 5, under_way: true },
      { model: "gpt-5" },
    ]);
    expect(at.requests[0]?.schema).toMatchObject({ properties: { done: { type: "boolean" } } });
    const types = events.map(({ type }) => type);
    expect(types.indexOf("agent_session")).toBeLessThan(types.indexOf("agent_turn_start"));
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("takes nothing that an agent below it says for its own, but counts what that one used", async () => {
    const { events } = await run("prompt: Go.", [{ tools: [{ name: "task", input: {} }] }, { text: "" }]);
    expect(saidIn(events, "agent_message")).toBe("");
    expect(told(events, "agent_turn_start")).toHaveLength(2);
    expect(told(events, "agent_completed")[0]?.output).toMatchObject({ result: "" });
    expect(told(events, "agent_usage").map(({ input_tokens }) => input_tokens)).toEqual([10, 7, 10]);
  });

  it("goes on with one conversation under a session key", async () => {
    const at = play().standIn();
    at.play = ({ index }) => `answer ${index}`;
    at.write({
      "main.yaml": `${file("prompt: First., session_key: k, routes: [{ to: more }]")}  - { name: more, prompt: Second., session_key: k }\n`,
    });
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(told(events, "agent_session")[1]).toMatchObject({ id: told(events, "agent_session")[0]?.id, resumed: true });
    expect(JSON.stringify(at.requests[1]?.messages)).toContain("First.");
  });

  it("uses the tools of the file's MCP servers, which Segno calls", async () => {
    const server = new URL("../../../../test/compat/mcp-server.mjs", import.meta.url).pathname;
    const { result, events } = await run(
      "prompt: Look.",
      [{ tools: [{ name: "desk__search", input: { query: "bridges" } }] }, "seen"],
      { file: `, mcp_servers: { desk: { command: node, args: ["${server}"] } }` },
    );
    expect(result.status).toBe("completed");
    expect(told(events, "agent_tool_complete")).toMatchObject([
      { tool_name: "desk__search", result: expect.stringContaining("bridges") },
    ]);
    expect(play().requests[1]?.results[0]).toContain("bridges");
  });

  it("may use only the tools that the step names", async () => {
    const at = play().standIn();
    at.write({ "main.yaml": `${file("prompt: Look., tools: [view]")}tools: [view, bash]\n` });
    await at.run("main.yaml");
    expect(play().requests[0]?.tools.map(({ name }) => name)).toEqual(["view"]);
  });
});

describeStandIn("in its sandbox", () => {
  const beside = () => join(play().folder, "beside.txt");

  it("writes nothing outside of its folder and nothing that would act later, and runs no command", async () => {
    const at = play();
    symlinkSync(at.folder, join(at.work, "out"));
    mkdirSync(join(at.work, ".git/hooks"), { recursive: true });
    mkdirSync(join(at.work, ".segno"));
    const guarded = [".git/hooks/pre-commit", ".git/config", "segno.yaml", ".segno/x"];
    const calls = [
      ...[beside(), "../beside.txt", "out/beside.txt", ...guarded].map((path) => create(path)),
      bash(`echo x > ${beside()}`),
    ];
    const { result, events } = await run("prompt: Go., max_agent_iterations: 20", [...calls, "done"]);
    expect(result.status).toBe("completed");
    expect(told(events, "agent_tool_complete").map(({ failed }) => failed === true)).toEqual(calls.map(() => true));
    expect([beside(), ...guarded.map((path) => join(at.work, path))].filter((path) => existsSync(path))).toEqual([]);
  });

  it("runs commands and writes anywhere under full", async () => {
    const other = join(play().folder, "other.txt");
    const calls = [create(beside()), bash(`echo x > ${other}`)];
    const { result, events } = await run("prompt: Go., sandbox: full", [...calls, "done"]);
    expect(result.status).toBe("completed");
    expect(told(events, "agent_tool_complete").map(({ failed }) => failed === true)).toEqual([false, false]);
    expect([beside(), other].map((path) => existsSync(path))).toEqual([true, true]);
  });

  it("changes nothing under read-only, and reads nothing outside of its folder", async () => {
    const at = play();
    writeFileSync(join(at.folder, "private.txt"), "nobody's business");
    const view = { tools: [{ name: "view", input: { path: "../private.txt" } }] };
    const { events } = await run("prompt: Go., sandbox: read-only", [create("a.txt"), view, "done"]);
    expect(told(events, "agent_tool_complete")).toMatchObject([{ failed: true }, { failed: true }]);
    expect(at.files()).toEqual([]);
  });

  it("asks a person where the file says so, stops until there is an answer, and goes on with it", async () => {
    const at = play();
    const { result, events } = await run("prompt: Write it., ask: gate", [create(beside()), create(beside()), "done"]);
    expect(result.status).toBe("paused");
    expect(told(events, "gate_presented")).toMatchObject([{ options: [{ value: "deny" }, { value: "allow" }] }]);
    expect(at.requests).toHaveLength(1);
    const answered = await answerGate(at.session, { run: result.run_id ?? "", value: "allow", inputs: {} });
    expect(answered).toMatchObject({ status: "completed" });
    expect(existsSync(beside())).toBe(true);
    expect(at.requests[1]?.prompt).toContain("The answer is yes.");
  });

  it("is denied by --skip-gates, and goes on without", async () => {
    const { result } = await run("prompt: Write it., ask: gate", [create(beside()), "done"], {
      options: { skipGates: true },
    });
    expect([result.status, existsSync(beside())]).toEqual(["completed", false]);
  });

  it("is given neither the environment, nor the user's folder, nor hooks, servers and instructions", async () => {
    Object.assign(play().session.env, { MY_SECRET: "the-secret-of-somebody" });
    await run("prompt: Go.", ["done"]);
    const [started] = play().standInHeard();
    expect(JSON.stringify(started)).not.toContain("the-secret-of-somebody");
    expect(started?.env).toMatchObject({ COPILOT_HOME: expect.stringContaining(play().session.home ?? "-") });
    expect(started?.args).toEqual(expect.arrayContaining(["--no-auto-update", "--no-auto-login"]));
    expect(configOf()).toMatchObject({
      enableConfigDiscovery: false,
      enableFileHooks: false,
      enableHostGitOperations: false,
      enableOnDemandInstructionDiscovery: false,
      enableSessionTelemetry: false,
      enableSkills: false,
      mcpServers: {},
    });
  });

  it("reads the folder's settings with settings: project", async () => {
    await run("prompt: Go., settings: project", ["done"]);
    expect(configOf()).toMatchObject({ enableConfigDiscovery: true, enableFileHooks: true, enableSkills: true });
  });
});

describeStandIn("when things fail", () => {
  it.each<[string, Answer, string]>([
    ["a used-up quota", { status: 429, type: "insufficient_quota" }, "provider.exhausted"],
    ["401", { status: 401 }, "provider.rejected"],
  ])("does not try again after %s", async (_, answer, kind) => {
    const { result, events } = await run("prompt: Go., retry: { max_attempts: 2, delay_seconds: 0 }", [answer]);
    expect(result.errors).toMatchObject([{ kind, details: { provider: "copilot" } }]);
    expect(told(events, "agent_retry")).toEqual([]);
  });

  it("tries an outage and a cut connection again", async () => {
    const at = play().standIn();
    at.play = ({ index }) => (index === 0 ? { status: 503 } : { fault: "cut" });
    at.write({ "main.yaml": file("prompt: Go., retry: { max_attempts: 2, delay_seconds: 0 }") });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([{ kind: "provider.exhausted", details: { attempts: 2 } }]);
    expect(told(events, "agent_retry")).toMatchObject([{ error_type: "503" }]);
  });

  it("is provider.exhausted when its runtime is killed, though the SDK says nothing", async () => {
    const { result } = await run("prompt: Go., sandbox: full, retry: { max_attempts: 1 }", [
      bash("kill -9 $PPID"),
      "done",
    ]);
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("has gone away") },
    ]);
  });

  it("is provider.rejected with what installs it when there is no runtime for this machine", async () => {
    const at = play().standIn();
    at.session.env.COPILOT_CLI_PATH = join(at.folder, "nowhere");
    at.write({ "main.yaml": file("prompt: Go.") });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([
      { kind: "provider.rejected", message: expect.stringContaining("npm install @github/copilot-sdk") },
    ]);
    expect(told(events, "agent_retry")).toEqual([]);
  });

  it("does not end Segno when its folder is gone", async () => {
    const at = play();
    rmSync(at.work, { recursive: true });
    const { result } = await run("prompt: Go.", ["done"]);
    expect(result.errors).toMatchObject([{ kind: "internal.bad_value", message: expect.stringContaining(at.work) }]);
  });

  it("begins anew, and says so, when its session is gone", async () => {
    const at = play();
    const { result } = await run("prompt: Write it., ask: gate", [create(join(at.folder, "beside.txt")), "done"]);
    const home = at.session.home ?? "";
    for (const path of readdirSync(home, { recursive: true, encoding: "utf8" }))
      if (path.endsWith("session-state")) rmSync(join(home, path), { recursive: true });
    at.play = () => "done";
    const answered = await answerGate(at.session, { run: result.run_id ?? "", value: "deny", inputs: {} });
    expect(answered).toMatchObject({ status: "completed" });
    expect(at.requests.at(-1)?.prompt).toBe("Write it.");
  });

  it("is ended at max_session_seconds, with everything it started", async () => {
    const at = play();
    const clock = new MovedClock();
    const running = run("prompt: Go., max_session_seconds: 3600, sandbox: full", [bash(SLEEPERS), "done"], {
      options: { extensions: { clock } },
    });
    await until(() => existsSync(join(at.work, "begun")));
    clock.move(3_600_000);
    const { result } = await running;
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("max_session_seconds (3600)") },
    ]);
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("is given up when nothing is heard of it", async () => {
    const at = play().standIn();
    const clock = new MovedClock();
    at.play = () => {
      clock.move(3_600_000);
      return { fault: "slow_headers" };
    };
    at.write({ "main.yaml": file("prompt: Go., retry: { max_attempts: 1 }", ", timeout: 3600") });
    const { result } = await at.run("main.yaml", { extensions: { clock } });
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("nothing was heard of it for 3600 s") },
    ]);
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("is asked for its answer when max_agent_iterations are used up, and ended when it goes on", async () => {
    const { result } = await run("prompt: Go., max_agent_iterations: 2", [create("a.txt")]);
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("max_agent_iterations (2)") },
    ]);
  });
});
