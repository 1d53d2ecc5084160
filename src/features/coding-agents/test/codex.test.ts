// Codex for real, by its app-server: its own program in its own process, against a fake model.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Answer } from "../../../../test/fakes/index.ts";
import { MovedClock } from "../../../../test/support/moved-clock.ts";
import { until } from "../../../../test/support/until.ts";
import {
  codingPlayground,
  describeAgent,
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
  runtime: { provider: codex, default_model: gpt-5, working_dir: work, max_agent_iterations: 6 }
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
    const [completed] = told(events, "agent_completed");
    expect(completed).toMatchObject({
      changes: { files: [{ path: "a.txt", change: "added", added: 2, removed: 0 }], added: 2, removed: 0 },
    });
    expect(completed?.output).toEqual({ done: true });
    expect(told(events, "agent_tool_start")).toMatchObject([{ tool_name: "shell" }]);
    expect(told(events, "agent_tool_complete")).toMatchObject([{ tool_name: "shell", result: { exit_code: 0 } }]);
    expect(saidIn(events, "agent_message")).toContain("I try it.");
    expect(saidIn(events, "agent_reasoning")).toContain("It should be tried.");
    expect(told(events, "agent_usage")).toMatchObject([
      { model: "gpt-5", input_tokens: 10, output_tokens: 5, under_way: true },
      { model: "gpt-5" },
    ]);
    // In dollars, of the list.
    expect(told(events, "agent_usage")[0]?.cost_usd).toBeCloseTo(0.000_062_5, 6);
    expect(told(events, "agent_usage")[0]).not.toHaveProperty("estimated");
    const types = events.map(({ type }) => type);
    expect(types.indexOf("agent_session")).toBeLessThan(types.indexOf("agent_turn_start"));
    expect(at.requests[0]?.schema).toBeDefined();
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
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
  const failing = async (answer: Answer | Play, step = "prompt: Go., retry: { max_attempts: 2, delay_seconds: 0 }") => {
    const at = play();
    at.play = typeof answer === "function" ? answer : () => answer;
    at.write({ "main.yaml": file(step) });
    const played = await at.run("main.yaml");
    return { error: played.result.errors[0], retries: told(played.events, "agent_retry") };
  };

  it.each<[string, Answer, string]>([
    ["a used-up quota", { status: 429, type: "insufficient_quota" }, "provider.exhausted"],
    ["400", { status: 400 }, "provider.rejected"],
    ["401", { status: 401 }, "provider.rejected"],
  ])("does not try again after %s", async (_, answer, kind) => {
    const { error, retries } = await failing(answer);
    expect(error).toMatchObject({ kind, details: { provider: "codex" } });
    expect(retries).toEqual([]);
  });

  it("tries an outage and a cut stream again, in one layer", async () => {
    const at = play();
    const { error, retries } = await failing(({ index }) => (index === 0 ? { status: 503 } : { fault: "cut" }));
    expect(error).toMatchObject({ kind: "provider.exhausted", details: { attempts: 2 } });
    expect(retries).toMatchObject([{ error_type: "503" }]);
    expect(at.requests).toHaveLength(2);
  });

  it("raises a refused connection as what may pass", async () => {
    play().session.env.OPENAI_BASE_URL = "http://127.0.0.1:1/v1";
    const { error } = await failing("never", "prompt: Go., retry: { max_attempts: 1 }");
    expect(error).toMatchObject({ kind: "provider.exhausted", retryable: true });
  });

  it("says before anything runs that there is no key", async () => {
    play().session.env.OPENAI_API_KEY = undefined;
    const { error } = await failing("never");
    expect(error).toMatchObject({ kind: "provider.rejected", message: expect.stringContaining("OPENAI_API_KEY") });
  });

  it("checks the answer itself: prose under a schema is asked for again, in the same session", async () => {
    const at = play();
    at.play = ({ index }) => [bash("echo one > a.txt"), "prose"][index] ?? { json: { done: true } };
    at.write({ "main.yaml": file("prompt: Count to one., output: { done: { type: boolean } }") });
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(told(events, "agent_completed")[0]).toMatchObject({ changes: { files: [{ path: "a.txt" }] } });
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

describeAgent("codex", "in its sandbox", () => {
  it("runs commands: its folder alone can be written, Segno's home not read, no network, no secret", async () => {
    const at = play();
    mkdirSync(join(at.work, ".git/hooks"), { recursive: true });
    writeFileSync(join(at.work, "segno.yaml"), "a: 1\n");
    Object.assign(at.session.env, { MY_SECRET: "the-secret-of-somebody" });
    at.play = inTurn(
      bash(
        `echo in > in.txt; echo out > ${at.folder}/out.txt; echo hook > .git/hooks/pre-commit; echo b > segno.yaml; ls ${at.session.home} | sed s/^/home:/; curl -sS -m 5 ${at.fake.url}/ 2>&1 | sed s/^/net:/; env; cat /proc/$PPID/environ; true`,
      ),
      "done",
    );
    at.write({ "main.yaml": file("prompt: Go., sandbox: workspace") });
    const { result, events } = await at.run("main.yaml");
    const said = JSON.stringify(told(events, "agent_tool_complete")[0]?.result);
    expect(result.status).toBe("completed");
    expect(at.files()).toEqual([".git", "in.txt", "segno.yaml"]);
    expect(existsSync(join(at.folder, "out.txt"))).toBe(false);
    expect(existsSync(join(at.work, ".git/hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(at.work, "segno.yaml"), "utf8")).toBe("a: 1\n");
    expect(said).toContain("PATH=");
    for (const secret of ["home:runs", "no / here", "the-secret-of-somebody", "key-of-nobody-at-all"])
      expect(said).not.toContain(secret);
  });
});
