// Claude's Agent SDK for real: its own program in its own process, against a fake model.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import type { Answer } from "../../../../test/fakes/index.ts";
import { MovedClock } from "../../../../test/support/moved-clock.ts";
import { until } from "../../../../test/support/until.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import {
  bareFolder,
  codingPlayground,
  describeAgent,
  hasSandbox,
  inTurn,
  type Play,
  processesWith,
  SLEEPERS,
  saidIn,
  told,
} from "./workshop.ts";

const play = codingPlayground();

const file = (step: string, more = ""): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: claude-agent-sdk, default_model: claude-sonnet-4-5, working_dir: work, max_agent_iterations: 6 }
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
    expect(completed).toMatchObject({
      changes: { files: [{ path: "a.txt", change: "added", added: 2, removed: 0 }], added: 2, removed: 0 },
    });
    expect(completed?.output).toEqual({ done: true });
    expect(told(events, "agent_tool_start")).toMatchObject([{ tool_name: "Write" }]);
    expect(told(events, "agent_tool_complete")).toMatchObject([{ tool_name: "Write" }]);
    expect(saidIn(events, "agent_message")).toContain("I write it.");
    expect(saidIn(events, "agent_reasoning")).toBe("It should be written.");
    expect(told(events, "agent_turn_start")).toHaveLength(2);
    const usage = told(events, "agent_usage");
    expect(usage).toHaveLength(2);
    expect(usage[0]).toMatchObject({ model: "claude-sonnet-4-5", input_tokens: 10, output_tokens: 5, under_way: true });
    // In dollars, of the list.
    expect(usage[0]?.cost_usd).toBeCloseTo(0.000_105, 6);
    expect(usage[0]).not.toHaveProperty("estimated");
    const types = events.map(({ type }) => type);
    expect(types.indexOf("agent_session")).toBeLessThan(types.indexOf("agent_turn_start"));
    expect(at.files()).toEqual(["a.txt"]);
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
  });
});

describeAgent("claude-agent-sdk", "with tools of servers, where a person may be asked", () => {
  it.each(["sandbox: full", 'ask: gate, allow: ["WebSearch"]'])(
    "uses them without asking, and warns of nothing on the terminal: %s",
    async (step) => {
      const at = play();
      const server = new URL("../../../../test/compat/mcp-server.mjs", import.meta.url).pathname;
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
  const failing = async (answer: Answer | Play, step = "prompt: Go., retry: { max_attempts: 2, delay_seconds: 0 }") => {
    const at = play();
    at.play = typeof answer === "function" ? answer : () => answer;
    at.write({ "main.yaml": file(step) });
    const played = await at.run("main.yaml");
    return { ...played, error: played.result.errors[0], retries: told(played.events, "agent_retry") };
  };

  it.each<[string, Answer, object, number]>([
    ["a refusal", { status: 401 }, { kind: "provider.rejected", details: { status_code: 401 } }, 1],
    // To a 404 Claude itself sends the same request once more without streaming, and nothing switches that off.
    ["an unknown model", { status: 404 }, { kind: "provider.rejected", details: { status_code: 404 } }, 2],
    [
      "no credit",
      {
        status: 400,
        type: "invalid_request_error",
        message:
          "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      },
      { kind: "provider.exhausted" },
      1,
    ],
  ])("does not try again after %s", async (_, answer, raised, requests) => {
    const { error, retries } = await failing(answer);
    expect(error).toMatchObject(raised);
    expect(error?.details).toMatchObject({ provider: "claude-agent-sdk" });
    expect(retries).toEqual([]);
    expect(play().requests).toHaveLength(requests);
  });

  it("tries an outage and a cut stream again, in one layer", async () => {
    const at = play();
    const { error, retries } = await failing(({ index }) => (index === 0 ? { status: 529 } : { fault: "cut" }));
    expect(error).toMatchObject({ kind: "provider.exhausted", details: { status_code: null, attempts: 2 } });
    expect(retries).toMatchObject([{ error_type: "529" }]);
    expect(at.requests).toHaveLength(2);
  });

  it("raises a refused connection as what may pass", async () => {
    play().session.env.ANTHROPIC_BASE_URL = "http://127.0.0.1:1";
    const { error } = await failing("never", "prompt: Go., retry: { max_attempts: 1 }");
    expect(error).toMatchObject({ kind: "provider.exhausted", retryable: true });
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
    play().session.env.ANTHROPIC_API_KEY = undefined;
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
    expect(calls).toBeLessThan(50);
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("is ended at max_session_seconds, with everything it started", async () => {
    const at = play();
    const clock = new MovedClock();
    at.play = inTurn(bash(SLEEPERS), "done");
    at.write({ "main.yaml": file("prompt: Go., max_session_seconds: 3600, sandbox: full") });
    const running = at.run("main.yaml", { extensions: { clock } });
    await until(() => existsSync(join(at.work, "begun")));
    clock.move(3_600_000);
    const { result } = await running;
    expect(result.errors).toMatchObject([
      { kind: "provider.exhausted", message: expect.stringContaining("max_session_seconds (3600)") },
    ]);
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
  });
});

const withoutBash = (events: readonly RunEvent[]): string[] =>
  told(events, "warning").flatMap(({ message }) => (message.includes("no Bash") ? [message] : []));

describeAgent("claude-agent-sdk", "in its sandbox", () => {
  const tried = async (answer: Answer, step: string) => {
    const at = play();
    at.play = inTurn(answer, "done");
    at.write({ "main.yaml": file(`prompt: Go., ${step}`) });
    const played = await at.run("main.yaml");
    const [tool] = told(played.events, "agent_tool_complete");
    return { ...played, said: String(tool?.result ?? "") };
  };

  it("writes below its folder under workspace, not beside it, and nothing that would act later", async () => {
    const at = play();
    mkdirSync(join(at.work, ".git/hooks"), { recursive: true });
    const refused = ["../beside.txt", ".git/hooks/pre-commit", ".git/config", "segno.yaml"];
    const paths = [...refused, "a.txt"].map((path) => join(at.work, path));
    at.play = inTurn(...paths.map((path) => write(path)), "done");
    at.write({ "main.yaml": file("prompt: Go., sandbox: workspace, max_agent_iterations: 20") });
    const { events } = await at.run("main.yaml");
    expect(told(events, "agent_tool_complete").map(({ failed }) => failed === true)).toEqual(
      paths.map((path) => !path.endsWith("a.txt")),
    );
    expect(paths.filter((path) => existsSync(path))).toEqual([join(at.work, "a.txt")]);
  });

  it.skipIf(!hasSandbox)(
    "runs commands in a sandbox: its folder alone can be written, Segno's home not read, no network, no secret",
    async () => {
      const at = play();
      Object.assign(at.session.env, { MY_SECRET: "the-secret-of-somebody" });
      const temporary = join(tmpdir(), `${basename(at.folder)}-beside`);
      mkdirSync(join(at.work, ".git/hooks"), { recursive: true });
      writeFileSync(join(at.work, "segno.yaml"), "a: 1\n");
      const { said, result } = await tried(
        bash(
          `echo in > in.txt; echo out > ${at.folder}/out.txt; echo hook > .git/hooks/pre-commit; echo b > segno.yaml; ls ${at.session.home} | sed s/^/home:/; curl -sS -m 5 ${at.fake.url}/ 2>&1 | sed s/^/net:/; echo v > ${at.folder}/main.yaml; (echo x > ${temporary}); env; cat /proc/$PPID/environ; true`,
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
      expect(existsSync(temporary)).toBe(false);
      expect(said).toContain("PATH=");
      expect(said).not.toContain("the-secret-of-somebody");
      expect(said).not.toContain("key-of-nobody-at-all");
    },
  );

  it("refuses to let commands run where nothing confines them, and says what to install", async () => {
    play().session.env.PATH = bareFolder(play().folder);
    const { result } = await tried(bash("true"), 'allow: ["Bash(npm test:*)"]');
    expect(result.errors).toMatchObject([
      {
        kind: "provider.rejected",
        message: expect.stringMatching(/Bash\(npm test:\*\).*apt install bubblewrap socat/),
      },
    ]);
    expect(play().requests).toHaveLength(0);
  });

  it("edits without a sandbox, but runs nothing, and says once what to install", async () => {
    const at = play();
    at.session.env.PATH = bareFolder(at.folder);
    at.play = ({ index }) =>
      [bash("echo x > b.txt"), write(join(at.work, "a.txt")), "done"][index] ?? { json: { answer_or_error: { n: 1 } } };
    at.write({ "main.yaml": file("prompt: Go., output: { n: { type: number } }, raises: [code.stuck]") });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toEqual([]);
    expect(told(events, "agent_tool_complete").map(({ failed }) => failed === true)).toEqual([true, false]);
    expect(at.files()).toEqual(["a.txt"]);
    expect(withoutBash(events)).toEqual([
      expect.stringMatching(/under sandbox: workspace .*apt install bubblewrap socat/),
    ]);
  });

  it.each([
    ["says so before it starts", "prompt: Go.", 1],
    ["says nothing of commands where it is to have none", "prompt: Go., tools: []", 0],
    ["says nothing of commands where a person is asked for each", "prompt: Go., ask: gate", 0],
  ])("without a sandbox %s", async (_, step, times) => {
    const at = play();
    at.session.env.PATH = bareFolder(at.folder);
    // All that is said before it starts: it cannot.
    rmSync(join(at.folder, "node_modules/@anthropic-ai"));
    at.write({ "main.yaml": file(step) });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([{ message: expect.stringContaining("npm install") }]);
    expect(withoutBash(events)).toHaveLength(times);
  });
});
