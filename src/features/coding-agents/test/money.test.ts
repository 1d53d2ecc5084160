// What an agent costs: by the list of prices, by the agent's own word, or as the nearest model; estimates say so. What is on
// the list of prices, claude.test.ts and codex.test.ts try.
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, describeStandIn, oneStep, told } from "./workshop.ts";

const play = codingPlayground();

const spent = async (agent: "claude-agent-sdk" | "copilot", model: string) => {
  const at = play();
  at.play = () => ({ text: "done", usage: { input: 1000, output: 100 } });
  const own = `{ name: copilot, type: openai, wire_api: completions, base_url: "${at.fake.url}/v1", api_key: nobody }`;
  const file = oneStep({ agent, model }, "prompt: Go.");
  at.write({ "main.yaml": file.replace("provider: copilot", `provider: ${own}`) });
  const { result, events } = await at.run("main.yaml");
  const [usage] = told(events, "agent_usage");
  const warnings = told(events, "warning").map(({ message }) => message);
  return { result, usage, warnings };
};

describeStandIn("and its cost", () => {
  it("is that of the nearest model for one that the list does not know, marked and with the list's day", async () => {
    play().standIn();
    const { usage, warnings, result } = await spent("copilot", "gpt-5-of-tomorrow");
    expect(usage).toMatchObject({ estimated: true, cost_usd: expect.any(Number) });
    expect(warnings.join()).toMatch(/counted as .* \(prices of \d{4}-\d{2}-\d{2}\)/);
    expect(JSON.stringify(result)).toContain("estimated_models");
  });

  it("is that of a file that takes the place of the list", async () => {
    const price = { input_per_mtok: 1000, output_per_mtok: 0 };
    play().standIn();
    play().write({ "prices.json": JSON.stringify({ as_of: "2030-01-01", models: { "model-of-mine": price } }) });
    play().session.env.SEGNO_PRICES = "prices.json";
    const { usage, result } = await spent("copilot", "model-of-mine");
    expect(usage).toMatchObject({ input_tokens: 1000, output_tokens: 100 });
    expect(usage?.cost_usd).toBeCloseTo(1, 6);
    expect(usage).not.toHaveProperty("estimated");
    expect(JSON.stringify(result)).not.toContain("estimated_models");
  });
});

describeAgent("claude-agent-sdk", "of which nobody but itself knows the price", () => {
  it("is counted by its own word, as an estimate", async () => {
    const { usage } = await spent("claude-agent-sdk", "somebody-elses-model");
    expect(usage).toMatchObject({ input_tokens: 1000, estimated: true });
    expect(usage?.cost_usd).toBeGreaterThan(0);
  });
});

describeAgent("codex", "with a model whose price nobody knows", () => {
  it("is ended by its budget all the same, counted as a known model", async () => {
    const at = play();
    const look = { name: "exec_command", input: { cmd: "true" } };
    at.play = ({ index }) => (index < 8 ? { tools: [look], usage: { input: 50_000, output: 2500 } } : "done");
    at.write({
      "main.yaml": oneStep({ agent: "codex", model: "gpt-9-zeta" }, "prompt: Go.").replace(
        "agents:",
        "  limits: { budget_usd: 0.001, budget_mode: enforce }\nagents:",
      ),
    });
    const { result, events } = await at.run("main.yaml");
    expect(result.success).toBe(false);
    expect(at.requests.length).toBeLessThan(9);
    expect(told(events, "agent_usage")[0]).toMatchObject({ estimated: true, cost_usd: expect.any(Number) });
    const warnings = told(events, "warning").map(({ message }) => message);
    expect(warnings.join()).toMatch(/No price is known for gpt-9-zeta; it is counted as gpt-5\.5/);
  });
});
