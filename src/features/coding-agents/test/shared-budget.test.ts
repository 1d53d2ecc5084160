// Two agents at once on one budget: whoever uses it up ends both, what both spent is recorded, and a kill forgets nothing.
import { expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import {
  type CodingPlayground,
  codingPlayground,
  describeAgent,
  kill,
  processesWith,
  REAL_AGENTS,
  told,
} from "./workshop.ts";

const play = codingPlayground();

/** Each model call costs a dollar. */
const file = (agent: string, model: string, budget: number): string => `
workflow:
  name: code
  entry_point: both
  runtime: { provider: { name: ${agent}, sandbox: full }, default_model: ${model}, max_agent_iterations: 50 }
  limits: { budget_usd: ${budget}, budget_mode: enforce }
  cost: { pricing: { ${model}: { input_per_mtok: 100000, output_per_mtok: 0 } } }
agents:
  - { name: left, prompt: Go left., working_dir: work }
  - { name: right, prompt: Go right., working_dir: work }
parallel:
  - { name: both, agents: [left, right], routes: [{ to: $end }] }
`;

const spentIn = (events: readonly RunEvent[]): number =>
  told(events, "agent_usage").reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);

/** Who has asked the model, by the name in the prompt. */
const askers = (at: CodingPlayground): Set<string> =>
  new Set(at.requests.map(({ messages }) => (JSON.stringify(messages).includes("Go left.") ? "left" : "right")));

// The budget is counted by Segno. That each agent is ended by it, claude.test.ts and codex.test.ts try with one.
for (const one of REAL_AGENTS.filter(({ agent }) => agent === "codex"))
  describeAgent(one.agent, "beside another on one budget", () => {
    it("is ended with the other when it is used up, and what both spent is recorded", async () => {
      const at = play();
      at.play = () => ({ tools: [one.command("true")] });
      at.write({ "main.yaml": file(one.agent, one.model, 4.5) });
      const { result, events } = await at.run("main.yaml");
      expect(result.errors).toMatchObject([{ error_type: "BudgetExceededError" }]);
      expect(askers(at)).toEqual(new Set(["left", "right"]));
      // What was on its way when the budget was used up may come in or not; what came in is counted.
      const spent = spentIn(events);
      expect(spent).toBeGreaterThan(4.5);
      expect(spent).toBeLessThanOrEqual(at.requests.length + 0.001);
      expect(result.metrics?.total_cost_usd).toBeCloseTo(spent, 6);
      await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
    });

    it("has what was spent before a kill counted after it", async () => {
      const at = play();
      // The first calls of both are answered, and cost ten dollars each; then both wait.
      const dear = { tools: [one.command("true")], usage: { input: 100 } };
      at.play = ({ results }) => (results.length === 0 ? dear : { fault: "slow_headers" });
      at.write({ "main.yaml": file(one.agent, one.model, 22.5) });
      const segno = at.start();
      await until(() => at.requests.filter(({ results }) => results.length > 0).length === 2);
      await kill(segno);
      at.play = () => ({ tools: [one.command("true")] });
      const { result, events } = await at.resume("main.yaml");
      expect(result.errors).toMatchObject([{ error_type: "BudgetExceededError" }]);
      const spent = spentIn(events);
      expect(spent).toBeGreaterThan(22.5);
      expect(result.metrics?.total_cost_usd).toBeCloseTo(spent, 6);
      // Three more use it up, and some may be on their way then; whoever forgot the first would make twenty more.
      expect(spent).toBeLessThan(42);
      await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
    });
  });
