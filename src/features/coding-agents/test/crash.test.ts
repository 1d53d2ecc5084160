// Segno is killed in the middle of an agent: what it left running is ended, its session goes on, nothing is done twice.
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { codingPlayground, describeAgent, describeStandIn, kill, processesWith, told } from "./workshop.ts";

const play = codingPlayground();

const file = (provider: string, model: string): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: { name: ${provider}, sandbox: full${provider === "copilot" ? `, base_url: "${play().fake.url}/v1", api_key: nobody` : ""} }, default_model: ${model}, working_dir: work }
agents:
  - { name: fix, prompt: Write it. }
`;

/** Temporary folders of agents that a process has made. */
const foldersOf = ({ pid }: ChildProcess): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("segno-agent-") && name.includes(`-${pid}-`));

const command = "echo once >> a.txt; touch begun; sleep 300; echo late >> a.txt";

describe.each([
  [
    "claude-agent-sdk" as const,
    "claude-sonnet-4-5",
    { name: "Bash", input: { command, description: "try", timeout: 500_000 } },
  ],
  ["codex" as const, "gpt-5", { name: "exec_command", input: { cmd: command, yield_time_ms: 30_000 } }],
  ["copilot" as const, "gpt-5", { name: "bash", input: { command } }],
])("%s", (agent, model, call) => {
  const describeIt =
    agent === "copilot" ? describeStandIn : (what: string, tests: () => void) => describeAgent(agent, what, tests);
  describeIt("whose engine is killed", () => {
    it("is ended, and goes on in its session: the file is written once and no process is left", async () => {
      const at = agent === "copilot" ? play().standIn() : play();
      at.play = ({ index, results }) => (index === 0 ? { tools: [call] } : `done after ${results.length}`);
      at.write({ "main.yaml": file(agent, model) });
      const segno = at.start();
      await until(() => existsSync(join(at.work, "begun")));
      expect(foldersOf(segno)).toHaveLength(agent === "copilot" ? 0 : 1);
      await kill(segno);
      const { result, events } = await at.resume("main.yaml");
      expect(result).toMatchObject({ status: "completed" });
      expect(readFileSync(join(at.work, "a.txt"), "utf8")).toBe("once\n");
      expect(told(events, "agent_completed")[0]).toMatchObject({
        changes: { files: [{ path: "a.txt", change: "added" }, { path: "begun" }] },
      });
      // Codex mostly ends when nobody holds its pipes any more; Claude works on.
      if (agent === "claude-agent-sdk") expect(told(events, "orphan_ended")).toHaveLength(1);
      const [first, second] = told(events, "agent_session");
      expect(second).toMatchObject({ id: first?.id, resumed: true });
      const resumed = at.requests.at(-1);
      expect(JSON.stringify(resumed?.messages)).toContain("Write it.");
      expect(resumed?.prompt).toContain("You were interrupted");
      await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
      expect(foldersOf(segno)).toEqual([]);
    });
  });
});
