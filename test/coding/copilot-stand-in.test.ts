// Copilot's own SDK with a stand-in for its runtime at the other end of the wire: every call that Segno makes of the SDK,
// and the ends that a real runtime does not have on demand.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answerGate } from "../../src/services/gates.ts";
import type { Answer } from "../fakes/index.ts";
import { codingPlayground, describeStandIn, inTurn, processesWith, saidIn, told } from "./workshop.ts";

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
    expect(told(events, "agent_completed")[0]?.output).toEqual({
      done: true,
      changes: { files: [{ path: "a.txt", change: "added", added: 2, removed: 0 }], added: 2, removed: 0 },
    });
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
    expect(processesWith(result.run_id ?? "-")).toEqual([]);
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
    const server = new URL("../compat/mcp-server.mjs", import.meta.url).pathname;
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

  it.each<[string, () => Answer, string, boolean]>([
    ["writes nothing beside its folder", () => create(beside()), "", false],
    ["does not climb out of it", () => create("../beside.txt"), "", false],
    ["runs no command under workspace", () => bash(`echo x > ${beside()}`), "", false],
    ["runs commands under full", () => bash(`echo x > ${beside()}`), ", sandbox: full", true],
    ["writes anywhere under full", () => create(beside()), ", sandbox: full", true],
  ])("%s", async (_, call, step, isWritten) => {
    const { result, events } = await run(`prompt: Go.${step}`, [call(), "done"]);
    expect(result.status).toBe("completed");
    expect(existsSync(beside())).toBe(isWritten);
    expect(told(events, "agent_tool_complete")[0]?.failed === true).toBe(!isWritten);
  });

  it("does not write through a link that leads out of its folder", async () => {
    symlinkSync(play().folder, join(play().work, "out"));
    await run("prompt: Go.", [create("out/beside.txt"), "done"]);
    expect(existsSync(beside())).toBe(false);
  });

  it.each([".git/hooks/pre-commit", ".git/config", "segno.yaml", ".segno/x"])("does not edit %s", async (path) => {
    const at = play();
    mkdirSync(join(at.work, ".git/hooks"), { recursive: true });
    mkdirSync(join(at.work, ".segno"));
    await run("prompt: Go.", [create(path), "done"]);
    expect(existsSync(join(at.work, path))).toBe(false);
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
    const answered = await answerGate({ ...at.surroundings, run: result.run_id ?? "", value: "allow", inputs: {} });
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
    Object.assign(play().surroundings.env, { MY_SECRET: "the-secret-of-somebody" });
    await run("prompt: Go.", ["done"]);
    const [started] = play().standInHeard();
    expect(JSON.stringify(started)).not.toContain("the-secret-of-somebody");
    expect(started?.env).toMatchObject({ COPILOT_HOME: expect.stringContaining(play().surroundings.home ?? "-") });
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
  it.each<[string, Answer, string, number]>([
    ["429", { status: 429 }, "provider.exhausted", 1],
    ["an outage", { status: 503 }, "provider.exhausted", 1],
    ["a used-up quota", { status: 429, type: "insufficient_quota" }, "provider.exhausted", 0],
    ["400", { status: 400 }, "provider.rejected", 0],
    ["401", { status: 401 }, "provider.rejected", 0],
    ["403", { status: 403 }, "provider.rejected", 0],
    ["404", { status: 404 }, "provider.rejected", 0],
    ["a cut connection", { fault: "cut" }, "provider.exhausted", 1],
  ])("tells %s from the rest", async (_, answer, kind, retried) => {
    const { result, events } = await run("prompt: Go., retry: { max_attempts: 2, delay_seconds: 0 }", [answer]);
    expect(result.errors).toMatchObject([{ kind, details: { provider: "copilot" } }]);
    expect(told(events, "agent_retry")).toHaveLength(retried);
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
    at.surroundings.env.COPILOT_CLI_PATH = join(at.folder, "nowhere");
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
    const home = at.surroundings.home ?? "";
    for (const path of readdirSync(home, { recursive: true, encoding: "utf8" }))
      if (path.endsWith("session-state")) rmSync(join(home, path), { recursive: true });
    at.play = () => "done";
    const answered = await answerGate({ ...at.surroundings, run: result.run_id ?? "", value: "deny", inputs: {} });
    expect(answered).toMatchObject({ status: "completed" });
    expect(at.requests.at(-1)?.prompt).toBe("Write it.");
  });

  it("is ended at max_session_seconds, with everything it started", async () => {
    const { result } = await run("prompt: Go., max_session_seconds: 3, sandbox: full", [
      bash("setsid sleep 300 & sleep 300"),
      "done",
    ]);
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("max_session_seconds (3)") },
    ]);
    expect(processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("is given up when nothing is heard of it", async () => {
    const { result } = await run("prompt: Go., retry: { max_attempts: 1 }", [{ fault: "slow_headers" }], {
      file: ", timeout: 2",
    });
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("nothing was heard of it for 2 s") },
    ]);
    expect(processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("is asked for its answer when max_agent_iterations are used up, and ended when it goes on", async () => {
    const { result, events } = await run("prompt: Go., max_agent_iterations: 2", [create("a.txt")]);
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("max_agent_iterations (2)") },
    ]);
    expect(told(events, "agent_usage").length).toBeLessThan(8);
  });
});
