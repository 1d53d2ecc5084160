// Claude's Agent SDK for real: its own program in its own process, against a fake model.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Answer } from "../fakes/index.ts";
import {
  bareFolder,
  codingPlayground,
  describeAgent,
  hasSandbox,
  inTurn,
  processesWith,
  saidIn,
  told,
} from "./workshop.ts";

const play = codingPlayground();

const file = (step: string, more = "", provider = ""): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: { name: claude-agent-sdk${provider} }, default_model: claude-sonnet-4-5, working_dir: work, max_agent_iterations: 6 }
  ${more}
agents:
  - { name: fix, ${step} }
`;

const write = (path: string, content = "hello\n") => ({
  text: "I write it.",
  thinking: "It should be written.",
  tools: [{ name: "Write", input: { file_path: path, content } }],
});
const bash = (command: string) => ({ tools: [{ name: "Bash", input: { command, description: "try" } }] });

describeAgent("claude-agent-sdk", "at work", () => {
  it("writes a file, says what it does, what it used and what it changed, and answers in the asked shape", async () => {
    const at = play();
    at.play = inTurn(write(join(at.work, "a.txt"), "one\ntwo\n"), { json: { answer_or_error: { done: true } } });
    at.write({ "main.yaml": file("prompt: Write it., output: { done: { type: boolean } }, raises: [code.stuck]") });
    const { result, events } = await at.run("main.yaml");
    expect(result).toMatchObject({ status: "completed" });
    expect(readFileSync(join(at.work, "a.txt"), "utf8")).toBe("one\ntwo\n");
    const [completed] = told(events, "agent_completed");
    expect(completed?.output).toEqual({
      done: true,
      changes: { files: [{ path: "a.txt", change: "added", added: 2, removed: 0 }], added: 2, removed: 0 },
    });
    expect(told(events, "agent_tool_start")).toMatchObject([{ tool_name: "Write" }]);
    expect(told(events, "agent_tool_complete")).toMatchObject([{ tool_name: "Write" }]);
    expect(saidIn(events, "agent_message")).toContain("I write it.");
    expect(saidIn(events, "agent_reasoning")).toBe("It should be written.");
    expect(told(events, "agent_turn_start")).toHaveLength(2);
    const usage = told(events, "agent_usage");
    expect(usage).toHaveLength(2);
    expect(usage[0]).toMatchObject({ model: "claude-sonnet-4-5", input_tokens: 10, output_tokens: 5, under_way: true });
    const types = events.map(({ type }) => type);
    expect(types.indexOf("agent_session")).toBeLessThan(types.indexOf("agent_turn_start"));
    expect(at.files()).toEqual(["a.txt"]);
    expect(processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("raises what it is told it may raise", async () => {
    const at = play();
    const envelope = { conductor_error: true, kind: "code.stuck", message: "I cannot.", details: {} };
    at.play = () => ({ json: { answer_or_error: envelope } });
    at.write({ "main.yaml": file("prompt: Go., output: { done: { type: boolean } }, raises: [code.stuck]") });
    const { result } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([{ kind: "code.stuck", message: "I cannot." }]);
  });

  it("uses the tools of the file's MCP servers, which Segno calls", async () => {
    const at = play();
    const server = new URL("../compat/mcp-server.mjs", import.meta.url).pathname;
    at.write({
      "main.yaml": file("prompt: Look.").replace(
        "working_dir: work",
        `working_dir: work, mcp_servers: { desk: { command: node, args: ["${server}"] } }`,
      ),
    });
    let offered: string[] = [];
    at.play = ({ results, tools }) => {
      offered = tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
      return results.length === 0 ? { tools: [{ name: offered[0] ?? "", input: {} }] } : "seen";
    };
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(offered.length).toBeGreaterThan(0);
    const name = offered[0]?.replace("mcp__segno__", "");
    expect(told(events, "agent_tool_start")).toMatchObject([{ tool_name: name }]);
    expect(told(events, "agent_tool_complete")).toMatchObject([{ tool_name: name }]);
  });
});

describeAgent("claude-agent-sdk", "with tools of servers, where a person may be asked", () => {
  it.each(["ask: gate", "sandbox: full", 'ask: gate, allow: ["WebSearch"]'])(
    "uses them without asking, and warns of nothing on the terminal: %s",
    async (step) => {
      const at = play();
      const server = new URL("../compat/mcp-server.mjs", import.meta.url).pathname;
      const servers = `mcp_servers: { desk: { command: node, args: ["${server}"] } }`;
      at.write({ "main.yaml": file(`prompt: Look., ${step}, ${servers}`) });
      at.play = inTurn({ tools: [{ name: "mcp__segno__desk__search", input: { query: "bridges" } }] }, "seen");
      const warnings: string[] = [];
      const note = ({ message }: Error): void => void warnings.push(message);
      process.on("warning", note);
      try {
        const { result, events } = await at.run("main.yaml");
        expect(result.errors).toEqual([]);
        expect(result.status).toBe("completed");
        expect(told(events, "agent_tool_complete")).toMatchObject([
          { tool_name: "desk__search", result: expect.stringContaining("bridges") },
        ]);
        expect(warnings).toEqual([]);
      } finally {
        process.off("warning", note);
      }
    },
  );
});

describeAgent("claude-agent-sdk", "when things fail", () => {
  const failing = async (answer: Answer, step = "prompt: Go., retry: { max_attempts: 2, delay_seconds: 0 }") => {
    const at = play();
    at.play = () => answer;
    at.write({ "main.yaml": file(step) });
    const played = await at.run("main.yaml");
    return { ...played, error: played.result.errors[0], retries: told(played.events, "agent_retry").length };
  };

  it.each([
    [429, "provider.exhausted", 1],
    [529, "provider.exhausted", 1],
    [400, "provider.rejected", 0],
    [401, "provider.rejected", 0],
    [403, "provider.rejected", 0],
    [404, "provider.rejected", 0],
  ])("raises by the status %i: %s", async (status, kind, retried) => {
    const { error, retries } = await failing({ status });
    expect(error).toMatchObject({ kind, details: { provider: "claude-agent-sdk", status_code: status } });
    expect(retries).toBe(retried);
    // To a 404 Claude itself sends the same request once more without streaming, and nothing switches that off.
    expect(play().requests).toHaveLength(status === 404 ? 2 : 1 + retried);
  });

  it.each<[string, Answer]>([
    [
      "no credit",
      {
        status: 400,
        type: "invalid_request_error",
        message:
          "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      },
    ],
    ["payment", { status: 402, type: "billing_error", message: "There is a problem with your payment." }],
  ])("does not try again where there is a used-up quota: %s", async (_, answer) => {
    const { error, retries } = await failing(answer);
    expect([error?.kind, retries]).toEqual(["provider.exhausted", 0]);
  });

  it("tries a cut stream again, in one layer", async () => {
    const { error, retries } = await failing({ fault: "cut" });
    expect(error).toMatchObject({ kind: "provider.exhausted", details: { status_code: null, attempts: 2 } });
    expect(retries).toBe(1);
    expect(play().requests).toHaveLength(2);
  });

  it("tries a refused connection again", async () => {
    play().surroundings.env.ANTHROPIC_BASE_URL = "http://127.0.0.1:1";
    const { error, retries } = await failing("never");
    expect([error?.kind, retries]).toEqual(["provider.exhausted", 1]);
  });

  it("goes on in its session after a failure in the middle", async () => {
    const at = play();
    at.play = ({ index, results }) => {
      if (index === 0) return write(join(at.work, "a.txt"));
      return index === 1 ? { status: 529 } : { text: `done after ${results.length}` };
    };
    at.write({ "main.yaml": file("prompt: Go., retry: { max_attempts: 2, delay_seconds: 0 }") });
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(told(events, "agent_completed")[0]?.output).toMatchObject({ result: "done after 1" });
    const [first, second] = told(events, "agent_session");
    expect(second).toMatchObject({ id: first?.id, resumed: true });
  });

  it("says before anything runs that there is no key", async () => {
    play().surroundings.env.ANTHROPIC_API_KEY = undefined;
    const { error } = await failing("never");
    expect(error).toMatchObject({ kind: "provider.rejected", message: expect.stringContaining("ANTHROPIC_API_KEY") });
    expect(play().requests).toHaveLength(0);
  });

  it("is a schema violation when the agent's own tries are used up", async () => {
    const { error } = await failing({ json: {} }, "prompt: Go., output: { done: { type: boolean } }");
    expect(error).toMatchObject({ kind: "internal.schema_violation", details: { source: "agent" } });
  });

  it("checks the answer itself: prose under a schema is asked for again, in the same session", async () => {
    const at = play();
    at.play = ({ index }) => (index < 3 ? "prose" : { json: { done: true } });
    at.write({ "main.yaml": file("prompt: Go., output: { done: { type: boolean } }") });
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(told(events, "agent_parse_recovery").length).toBeGreaterThan(0);
    expect(new Set(told(events, "agent_session").map(({ id }) => id)).size).toBe(1);
  });
});

describeAgent("claude-agent-sdk", "with limits", () => {
  it("is asked for its answer when max_agent_iterations are used up, and ended when it goes on", async () => {
    const at = play();
    at.play = () => bash("true");
    at.write({ "main.yaml": file("prompt: Go., max_agent_iterations: 2") });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("max_agent_iterations (2)") },
    ]);
    expect(
      told(events, "warning")
        .map(({ message }) => message)
        .join(),
    ).toContain("used up max_agent_iterations (2)");
  });

  it("is ended in the middle when the budget is used up", async () => {
    const at = play();
    at.play = () => bash("true");
    const cost =
      "limits: { budget_usd: 2.5, budget_mode: enforce }\n  cost: { pricing: { claude-sonnet-4-5: { input_per_mtok: 100000, output_per_mtok: 0 } } }";
    at.write({ "main.yaml": file("prompt: Go., max_agent_iterations: 50", cost) });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([{ error_type: "BudgetExceededError" }]);
    // The third of fifty uses it up; what was on its way before the agent had ended counts as well.
    const calls = told(events, "agent_usage").length;
    expect(calls).toBeGreaterThanOrEqual(3);
    expect(calls).toBeLessThan(12);
    expect(processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("is given up when nothing is heard of it", async () => {
    const at = play();
    at.play = () => ({ fault: "slow_headers" });
    at.write({
      "main.yaml": file("prompt: Go., retry: { max_attempts: 1 }").replace("working_dir", "timeout: 3, working_dir"),
    });
    const { result } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("nothing was heard of it for 3 s") },
    ]);
    expect(processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("is ended at max_session_seconds, with everything it started", async () => {
    const at = play();
    at.play = inTurn(bash("setsid sleep 300 & sleep 300"), "done");
    at.write({ "main.yaml": file("prompt: Go., max_session_seconds: 5, sandbox: full") });
    const { result } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("max_session_seconds (5)") },
    ]);
    expect(processesWith(result.run_id ?? "-")).toEqual([]);
  });
});

describeAgent("claude-agent-sdk", "in its sandbox", () => {
  const tried = async (answer: Answer, step: string, provider = "") => {
    const at = play();
    at.play = inTurn(answer, "done");
    at.write({ "main.yaml": file(`prompt: Go., ${step}`, "", provider) });
    const played = await at.run("main.yaml");
    const [tool] = told(played.events, "agent_tool_complete");
    return { ...played, failed: tool?.failed === true, said: String(tool?.result ?? "") };
  };

  it("changes nothing under read-only", async () => {
    const { failed } = await tried(write(join(play().work, "a.txt")), "sandbox: read-only");
    expect([failed, play().files()]).toEqual([true, []]);
  });

  it("writes below its folder under workspace, and not beside it", async () => {
    const { failed } = await tried(write(join(play().folder, "beside.txt")), "sandbox: workspace");
    expect([failed, existsSync(join(play().folder, "beside.txt"))]).toEqual([true, false]);
  });

  it.each([".git/hooks/pre-commit", ".git/config", "segno.yaml"])("does not edit %s", async (path) => {
    const at = play();
    mkdirSync(join(at.work, ".git/hooks"), { recursive: true });
    const { failed } = await tried(write(join(at.work, path)), "sandbox: workspace");
    expect([failed, existsSync(join(at.work, path))]).toEqual([true, false]);
  });

  it.skipIf(!hasSandbox)(
    "runs commands in a sandbox: its folder alone can be written, Segno's home not read, no network",
    async () => {
      const at = play();
      mkdirSync(join(at.work, ".git/hooks"), { recursive: true });
      writeFileSync(join(at.work, "segno.yaml"), "a: 1\n");
      const { said, result } = await tried(
        bash(
          `echo in > in.txt; echo out > ${at.folder}/out.txt; echo hook > .git/hooks/pre-commit; echo b > segno.yaml; ls ${at.surroundings.home} | sed s/^/home:/; curl -sS -m 5 ${at.fake.url}/ 2>&1 | sed s/^/net:/; echo v > ${at.folder}/main.yaml; true`,
        ),
        "sandbox: workspace",
      );
      expect(result.status).toBe("completed");
      expect(at.files()).toEqual([".git", "in.txt", "segno.yaml"]);
      expect(existsSync(join(at.folder, "out.txt"))).toBe(false);
      expect(existsSync(join(at.work, ".git/hooks/pre-commit"))).toBe(false);
      expect(readFileSync(join(at.work, "segno.yaml"), "utf8")).toBe("a: 1\n");
      expect(at.read("main.yaml")).toContain("name: code");
      expect(said).not.toContain("home:runs");
      expect(said).not.toContain("no / here");
    },
  );

  it.skipIf(!hasSandbox)("lets no secret of the environment, and not its own key, reach its commands", async () => {
    const at = play();
    Object.assign(at.surroundings.env, { MY_SECRET: "the-secret-of-somebody" });
    const { said } = await tried(bash("env; cat /proc/$PPID/environ; true"), "sandbox: workspace");
    expect(said).toContain("PATH=");
    expect(said).not.toContain("the-secret-of-somebody");
    expect(said).not.toContain("key-of-nobody-at-all");
  });

  it("runs commands outside under full, still without its key", async () => {
    const at = play();
    const { said } = await tried(bash(`echo out > ${at.folder}/out.txt; env`), "sandbox: full");
    expect(existsSync(join(at.folder, "out.txt"))).toBe(true);
    expect(said).not.toContain("key-of-nobody-at-all");
  });

  it("refuses to let commands run where nothing confines them, and says what to install", async () => {
    play().surroundings.env.PATH = bareFolder(play().folder);
    const { result } = await tried(bash("true"), 'allow: ["Bash(npm test:*)"]');
    expect(result.errors).toMatchObject([
      {
        kind: "provider.rejected",
        message: expect.stringMatching(/Bash\(npm test:\*\).*apt install bubblewrap socat/),
      },
    ]);
    expect(play().requests).toHaveLength(0);
  });

  it("edits without a sandbox, but runs nothing", async () => {
    play().surroundings.env.PATH = bareFolder(play().folder);
    const { failed } = await tried(bash("echo x > a.txt"), "sandbox: workspace");
    expect([failed, play().files()]).toEqual([true, []]);
  });

  it.each([
    [
      "says once, and what to install, that it runs nothing without a sandbox",
      "prompt: Go., output: { n: { type: number } }, raises: [code.stuck]",
      1,
    ],
    ["says nothing of commands where it is to have none", "prompt: Go., tools: []", 0],
    ["says nothing of commands where a person is asked for each", "prompt: Go., ask: gate", 0],
  ])("%s", async (_, step, times) => {
    const at = play();
    at.surroundings.env.PATH = bareFolder(at.folder);
    at.play = ({ index }) => (step.includes("output") && index > 0 ? { json: { answer_or_error: { n: 1 } } } : "done");
    at.write({ "main.yaml": file(step) });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toEqual([]);
    const said = told(events, "warning").filter(({ message }) => message.includes("no Bash"));
    expect(said).toHaveLength(times);
    for (const { message } of said) expect(message).toMatch(/under sandbox: workspace .*apt install bubblewrap socat/);
  });
});
