// What an agent costs: by the list of prices, by the agent's own word, or as the nearest model; estimates say so.
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, oneStep, REAL_AGENTS, told } from "./workshop.ts";

const play = codingPlayground();

const spent = async (agent: (typeof REAL_AGENTS)[number], model: string) => {
  const at = play();
  at.play = () => ({ text: "done", usage: { input: 1000, output: 100 } });
  at.write({ "main.yaml": oneStep({ ...agent, model }, "prompt: Go.") });
  const { result, events } = await at.run("main.yaml");
  const [usage] = told(events, "agent_usage");
  const warnings = told(events, "warning").map(({ message }) => message);
  return { result, usage, warnings };
};

for (const one of REAL_AGENTS)
  describeAgent(one.agent, "and its cost", () => {
    it("is in dollars, of the list", async () => {
      const { usage, result } = await spent(one, one.model);
      expect(usage).toMatchObject({ input_tokens: 1000, output_tokens: 100 });
      expect(usage?.cost_usd).toBeCloseTo(one.agent === "codex" ? 0.002_25 : 0.0045, 6);
      expect(usage).not.toHaveProperty("estimated");
      expect(JSON.stringify(result)).not.toContain("estimated_models");
    });

    it("is that of the nearest model for one that the list does not know, marked and with the list's day", async () => {
      const { usage, warnings, result } = await spent(one, `${one.model}-of-tomorrow`);
      expect(usage).toMatchObject({ estimated: true, cost_usd: expect.any(Number) });
      expect(warnings.join()).toMatch(/counted as .* \(prices of \d{4}-\d{2}-\d{2}\)/);
      expect(JSON.stringify(result)).toContain("estimated_models");
    });

    it("is that of a file that takes the place of the list", async () => {
      const price = { input_per_mtok: 1000, output_per_mtok: 0 };
      play().write({ "prices.json": JSON.stringify({ as_of: "2030-01-01", models: { "model-of-mine": price } }) });
      play().surroundings.env.SEGNO_PRICES = "prices.json";
      const { usage } = await spent(one, "model-of-mine");
      expect(usage?.cost_usd).toBeCloseTo(1, 6);
      expect(usage).not.toHaveProperty("estimated");
    });
  });

const [claude] = REAL_AGENTS;
describeAgent("claude-agent-sdk", "of which nobody but itself knows the price", () => {
  it("is counted by its own word, as an estimate", async () => {
    const { usage } = await spent(claude!, "somebody-elses-model");
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
    expect(at.requests.length).toBeLessThan(4);
    expect(told(events, "agent_usage")[0]).toMatchObject({ estimated: true, cost_usd: expect.any(Number) });
    const warnings = told(events, "warning").map(({ message }) => message);
    expect(warnings.join()).toMatch(/No price is known for gpt-9-zeta; it is counted as gpt-5\.5/);
  });
});
