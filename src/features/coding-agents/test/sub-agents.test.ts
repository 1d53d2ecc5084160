// Agents that agents start: what they say is for the one that started them, and what they use is the step's to pay.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Answer, FakeRequest } from "../../../../test/fakes/index.ts";
import { codingPlayground, describeAgent, oneStep, REAL_AGENTS, type RealAgent, told } from "./workshop.ts";

const play = codingPlayground();

const TASK = "look-at-the-docs";

const START: Readonly<Record<string, Answer>> = {
  "claude-agent-sdk": {
    tools: [{ name: "Agent", input: { description: "look", prompt: TASK, subagent_type: "general-purpose" } }],
    usage: { input: 100_000, output: 5000 },
  },
  codex: {
    tools: [{ name: "spawn_agent", namespace: "multi_agent_v1", input: { message: TASK } }],
    usage: { input: 100_000, output: 5000 },
  },
};

/** Whether it is the agent that was started who asks: it does not know the step's own prompt. */
const isSub = ({ messages }: FakeRequest): boolean =>
  messages.some(({ role, text }) => role === "user" && text.includes(TASK)) &&
  !messages.some(({ role, text }) => role === "user" && text.includes("Begin the work"));

const step = (one: RealAgent, more = "", runtime = ""): string =>
  oneStep(one, `prompt: Begin the work., output: { done: { type: boolean } }${more}`, runtime);

const inputTokens = (events: Parameters<typeof told>[0]): number =>
  told(events, "agent_usage").reduce((sum, { input_tokens }) => sum + (input_tokens ?? 0), 0);

for (const one of REAL_AGENTS)
  describeAgent(one.agent, "with an agent of its own", () => {
    it("answers itself, and all that was used is counted", async () => {
      const at = play();
      at.play = async (request) => {
        if (isSub(request)) return { text: '{"done": false}', usage: { input: 1000, output: 10 } };
        const { results } = request;
        if (results.length === 0) return START[one.agent] ?? "";
        const usage = { input: 100_000, output: 5000 };
        if (results.length > 1) return { json: { done: true }, usage };
        // The other one has answered by then.
        await expect.poll(() => at.requests.filter(isSub).length).toBe(1);
        return { tools: [one.command("sleep 1; touch parent-work")], usage };
      };
      at.write({ "main.yaml": step(one, ", sandbox: full") });
      const { result, events } = await at.run("main.yaml");
      expect(result.errors).toEqual([]);
      expect(told(events, "agent_completed")[0]?.output).toMatchObject({ done: true });
      expect(existsSync(join(at.work, "parent-work"))).toBe(true);
      expect(inputTokens(events)).toBe(301_000);
    });

    it("is held by max_agent_iterations together with it, and what was used until then is counted", async () => {
      const at = play();
      at.play = (request) => {
        if (isSub(request)) return { tools: [one.command("true")], usage: { input: 1000, output: 10 } };
        const { results, tools } = request;
        if (results.length > 0 && one.agent === "codex" && tools.some(({ name }) => name === "exec_command"))
          return { tools: [one.command("sleep 60")] };
        return results.length === 0 ? (START[one.agent] ?? "") : { json: { done: true } };
      };
      at.write({ "main.yaml": step(one, ", sandbox: full", ", max_agent_iterations: 5") });
      const { events } = await at.run("main.yaml");
      const subs = at.requests.filter(isSub).length;
      expect(subs).toBeGreaterThan(1);
      expect(inputTokens(events)).toBeGreaterThanOrEqual(100_000 + 1000 * (subs - 1));
    });
  });
