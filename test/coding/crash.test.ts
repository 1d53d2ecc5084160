// Segno is killed in the middle of an agent: what it left running is ended, its session goes on, nothing is done twice.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { until } from "../support/until.ts";
import { type CodingPlayground, codingPlayground, describeAgent, processesWith, told } from "./workshop.ts";

const play = codingPlayground();

const file = (provider: string, model: string): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: { name: ${provider}, sandbox: full }, default_model: ${model}, working_dir: work }
agents:
  - { name: fix, prompt: Write it. }
`;

function start(at: CodingPlayground): ChildProcess {
  const main = new URL("../../dist/main.cjs", import.meta.url).pathname;
  const { env, home, cwd } = at.surroundings;
  return spawn(process.execPath, [main, "run", "main.yaml"], {
    cwd,
    env: { ...env, SEGNO_HOME: home },
    stdio: "ignore",
  });
}

describeAgent("claude-agent-sdk", "whose engine is killed", () => {
  it("is ended, and goes on in its session: the file is written once and no process is left", async () => {
    const at = play();
    const command = "echo once >> a.txt; touch begun; sleep 300; echo late >> a.txt";
    at.play = ({ index, results }) => {
      if (index === 0) return { tools: [{ name: "Bash", input: { command, description: "try", timeout: 500_000 } }] };
      return `done after ${results.length}`;
    };
    at.write({ "main.yaml": file("claude-agent-sdk", "claude-sonnet-4-5") });
    const segno = start(at);
    await until(() => existsSync(join(at.work, "begun")));
    segno.kill("SIGKILL");
    await new Promise((resolve) => segno.once("exit", resolve));
    const { result, events } = await at.resume("main.yaml");
    expect(result).toMatchObject({ status: "completed" });
    expect(readFileSync(join(at.work, "a.txt"), "utf8")).toBe("once\n");
    expect(told(events, "orphan_ended")).toHaveLength(1);
    const [first, second] = told(events, "agent_session");
    expect(second).toMatchObject({ id: first?.id, resumed: true });
    const resumed = at.requests[1];
    expect(resumed?.messages[0]?.text).toContain("Write it.");
    expect(resumed?.prompt).toContain("You were interrupted");
    expect(processesWith(result.run_id ?? "-")).toEqual([]);
  });
});
