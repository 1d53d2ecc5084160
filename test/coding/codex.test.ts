// Codex for real, by its app-server: its own program in its own process, against a fake model.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Answer } from "../fakes/index.ts";
import { codingPlayground, describeAgent, inTurn, processesWith, saidIn, told } from "./workshop.ts";

const play = codingPlayground();

const file = (step: string, more = "", provider = ""): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: { name: codex${provider} }, default_model: gpt-5, working_dir: work, max_agent_iterations: 6 }
  ${more}
agents:
  - { name: fix, ${step} }
`;

const bash = (cmd: string) => ({
  text: "I try it.",
  thinking: "It should be tried.",
  tools: [{ name: "exec_command", input: { cmd } }],
});

describeAgent("codex", "at work", () => {
  it("writes a file, says what it does, what it used and what it changed, and answers in the asked shape", async () => {
    const at = play();
    at.play = inTurn(bash("printf 'one\\ntwo\\n' > a.txt"), { json: { done: true } });
    at.write({ "main.yaml": file("prompt: Write it., output: { done: { type: boolean } }") });
    const { result, events } = await at.run("main.yaml");
    expect(result).toMatchObject({ status: "completed" });
    expect(readFileSync(join(at.work, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(told(events, "agent_completed")[0]?.output).toEqual({
      done: true,
      changes: { files: [{ path: "a.txt", change: "added", added: 2, removed: 0 }], added: 2, removed: 0 },
    });
    expect(told(events, "agent_tool_start")).toMatchObject([{ tool_name: "shell" }]);
    expect(told(events, "agent_tool_complete")).toMatchObject([{ tool_name: "shell", result: { exit_code: 0 } }]);
    expect(saidIn(events, "agent_message")).toContain("I try it.");
    expect(saidIn(events, "agent_reasoning")).toContain("It should be tried.");
    expect(told(events, "agent_usage")).toMatchObject([
      { model: "gpt-5", input_tokens: 10, output_tokens: 5, under_way: true },
      { model: "gpt-5" },
    ]);
    const types = events.map(({ type }) => type);
    expect(types.indexOf("agent_session")).toBeLessThan(types.indexOf("agent_turn_start"));
    expect(at.requests[0]?.schema).toBeDefined();
    expect(processesWith(result.run_id ?? "-")).toEqual([]);
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
      offered = tools.map(({ name }) => name).filter((name) => name.startsWith("desk__"));
      return results.length === 0 ? { tools: [{ name: offered[0] ?? "", input: {} }] } : "seen";
    };
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(told(events, "agent_tool_start")).toMatchObject([{ tool_name: offered[0] }]);
    expect(told(events, "agent_tool_complete")).toMatchObject([{ tool_name: offered[0] }]);
  });

  it("goes on with one conversation under a session key", async () => {
    const at = play();
    at.play = ({ index }) => `answer ${index}`;
    at.write({
      "main.yaml": `${file("prompt: First., session_key: k, routes: [{ to: more }]")}  - { name: more, prompt: Second., session_key: k }\n`,
    });
    const { result } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(JSON.stringify(at.requests[1]?.messages)).toContain("First.");
  });
});

describeAgent("codex", "when things fail", () => {
  const failing = async (answer: Answer, step = "prompt: Go., retry: { max_attempts: 2, delay_seconds: 0 }") => {
    const at = play();
    at.play = () => answer;
    at.write({ "main.yaml": file(step) });
    const played = await at.run("main.yaml");
    return { error: played.result.errors[0], retries: told(played.events, "agent_retry").length };
  };

  it.each<[string, Answer, string, number]>([
    ["429", { status: 429 }, "provider.exhausted", 1],
    ["an outage", { status: 503 }, "provider.exhausted", 1],
    ["a used-up quota", { status: 429, type: "insufficient_quota" }, "provider.exhausted", 0],
    ["400", { status: 400 }, "provider.rejected", 0],
    ["401", { status: 401 }, "provider.rejected", 0],
    ["403", { status: 403 }, "provider.rejected", 0],
    ["404", { status: 404 }, "provider.rejected", 0],
    ["a cut stream", { fault: "cut" }, "provider.exhausted", 1],
  ])("tells %s from the rest", async (_, answer, kind, retried) => {
    const { error, retries } = await failing(answer);
    expect(error).toMatchObject({ kind, details: { provider: "codex" } });
    expect(retries).toBe(retried);
  });

  it("tries a refused connection again, and gives up in time", async () => {
    play().surroundings.env.OPENAI_BASE_URL = "http://127.0.0.1:1/v1";
    const { error, retries } = await failing("never");
    expect([error?.kind, retries]).toEqual(["provider.exhausted", 1]);
  });

  it("says before anything runs that there is no key", async () => {
    play().surroundings.env.OPENAI_API_KEY = undefined;
    const { error } = await failing("never");
    expect(error).toMatchObject({ kind: "provider.rejected", message: expect.stringContaining("OPENAI_API_KEY") });
  });

  it("checks the answer itself: prose under a schema is asked for again, in the same session", async () => {
    const at = play();
    at.play = ({ index }) => [bash("echo one > a.txt"), "prose"][index] ?? { json: { done: true } };
    at.write({ "main.yaml": file("prompt: Count to one., output: { done: { type: boolean } }") });
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(told(events, "agent_completed")[0]?.output).toMatchObject({ changes: { files: [{ path: "a.txt" }] } });
    expect(new Set(told(events, "agent_session").map(({ id }) => id)).size).toBe(1);
    // The task is said once: whoever heard it again would do the work again.
    const said = JSON.stringify(at.requests.at(-1)?.messages);
    expect(said.split("Count to one.")).toHaveLength(2);
    expect(said).toContain("Your work is done and need not be done again");
  });
});

describeAgent("codex", "with limits", () => {
  it("is asked for its answer when max_agent_iterations are used up, and ended when it goes on", async () => {
    const at = play();
    at.play = () => bash("true");
    at.write({ "main.yaml": file("prompt: Go., max_agent_iterations: 2") });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([
      {
        kind: "provider.exhausted",
        message: expect.stringMatching(/was ended without an answer: it used up max_agent_iterations \(2\)$/),
        retryable: false,
        owner: "workflow",
        hint: expect.stringMatching(/^Raise `max_agent_iterations` of step fix/),
      },
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
      "limits: { budget_usd: 2.5, budget_mode: enforce }\n  cost: { pricing: { gpt-5: { input_per_mtok: 100000, output_per_mtok: 0 } } }";
    at.write({ "main.yaml": file("prompt: Go., max_agent_iterations: 50", cost) });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([{ error_type: "BudgetExceededError" }]);
    // The third of fifty uses it up; what was on its way before the agent had ended counts as well.
    const calls = told(events, "agent_usage").length;
    expect(calls).toBeGreaterThanOrEqual(3);
    expect(calls).toBeLessThan(12);
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

describeAgent("codex", "in its sandbox", () => {
  const tried = async (answer: Answer, step: string, more: object = {}) => {
    const at = play();
    at.play = inTurn(answer, "done");
    at.write({ "main.yaml": file(`prompt: Go., ${step}`) });
    const played = await at.run("main.yaml", more);
    const [tool] = told(played.events, "agent_tool_complete");
    return { ...played, said: JSON.stringify(tool?.result ?? "") };
  };

  it("changes nothing under read-only", async () => {
    const { said } = await tried(bash("echo x > a.txt"), "sandbox: read-only");
    expect(said).toContain("Read-only");
    expect(play().files()).toEqual([]);
  });

  it("runs commands in a sandbox: its folder alone can be written, Segno's home not read, no network", async () => {
    const at = play();
    mkdirSync(join(at.work, ".git/hooks"), { recursive: true });
    writeFileSync(join(at.work, "segno.yaml"), "a: 1\n");
    const { said, result } = await tried(
      bash(
        `echo in > in.txt; echo out > ${at.folder}/out.txt; echo hook > .git/hooks/pre-commit; echo b > segno.yaml; ls ${at.surroundings.home} | sed s/^/home:/; curl -sS -m 5 ${at.fake.url}/ 2>&1 | sed s/^/net:/; true`,
      ),
      "sandbox: workspace",
    );
    expect(result.status).toBe("completed");
    expect(at.files()).toEqual([".git", "in.txt", "segno.yaml"]);
    expect(existsSync(join(at.folder, "out.txt"))).toBe(false);
    expect(existsSync(join(at.work, ".git/hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(at.work, "segno.yaml"), "utf8")).toBe("a: 1\n");
    expect(said).not.toContain("home:runs");
    expect(said).not.toContain("no / here");
  });

  it("lets no secret of the environment, and not its own key, reach its commands", async () => {
    const at = play();
    Object.assign(at.surroundings.env, { MY_SECRET: "the-secret-of-somebody" });
    const { said } = await tried(bash("env; cat /proc/$PPID/environ; true"), "sandbox: workspace");
    expect(said).toContain("PATH=");
    expect(said).not.toContain("the-secret-of-somebody");
    expect(said).not.toContain("key-of-nobody-at-all");
  });

  it("runs commands outside under full", async () => {
    const at = play();
    await tried(bash(`echo out > ${at.folder}/out.txt`), "sandbox: full");
    expect(existsSync(join(at.folder, "out.txt"))).toBe(true);
  });

  it("asks for what is outside of its sandbox, by a gate whose first option is deny", async () => {
    const at = play();
    const escalated = {
      tools: [
        {
          name: "exec_command",
          input: {
            cmd: `echo out > ${at.folder}/out.txt`,
            sandbox_permissions: "require_escalated",
            justification: "May I?",
          },
        },
      ],
    };
    const { events, result } = await tried(escalated, "ask: gate", { skipGates: true });
    expect(result.status).toBe("completed");
    expect(told(events, "gate_presented")).toMatchObject([{ options: [{ value: "deny" }, { value: "allow" }] }]);
    expect(existsSync(join(at.folder, "out.txt"))).toBe(false);
  });
});
