// How an agent's work ends when it does not end by itself: killed, silent, not installed.
import { cpSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MovedClock } from "../../../../test/support/moved-clock.ts";
import { type AgentName, codingPlayground, describeAgent, processesWith, told } from "./workshop.ts";

const play = codingPlayground();

const file = (agent: AgentName, step: string): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: ${agent}, default_model: ${agent === "codex" ? "gpt-5" : "claude-sonnet-4-5"}, working_dir: work }
agents:
  - { name: fix, prompt: Go., ${step} }
`;

/** The process of the agent whose home is below a folder. */
function agentProcess(folder: string): number {
  const found = readdirSync("/proc").find((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const env = readFileSync(join("/proc", pid, "environ"), "utf8").split("\0");
      return env.some((one) => /^(?:CODEX_HOME|CLAUDE_CONFIG_DIR)=/.test(one) && one.includes(folder));
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error("there is no agent");
  return Number(found);
}

const PACKAGES = { "claude-agent-sdk": "@anthropic-ai/claude-agent-sdk", codex: "@openai/codex" };

for (const agent of ["claude-agent-sdk", "codex"] as const)
  describeAgent(agent, "that does not end by itself", () => {
    it("raises provider.exhausted when its process is killed", async () => {
      const at = play();
      at.play = () => {
        process.kill(agentProcess(at.folder), "SIGKILL");
        return { fault: "slow_headers" };
      };
      at.write({ "main.yaml": file(agent, "retry: { max_attempts: 1 }") });
      const { result } = await at.run("main.yaml");
      expect(result.errors).toMatchObject([{ kind: "provider.exhausted" }]);
      // What it grumbled about at its start is not why it ended.
      expect(result.errors[0]?.message).not.toMatch(/warning/i);
      await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
    });

    it("is given up when nothing is heard of it, and really asked again", async () => {
      const at = play();
      const clock = new MovedClock();
      at.play = ({ index }) => {
        if (index > 0) return "done";
        clock.move(3_600_000);
        return { fault: "slow_headers" };
      };
      const runtime = file(agent, "retry: { max_attempts: 2, delay_seconds: 0 }");
      at.write({ "main.yaml": runtime.replace("working_dir", "timeout: 3600, working_dir") });
      const { result, events } = await at.run("main.yaml", { extensions: { clock } });
      expect(told(events, "agent_retry")).toMatchObject([{ error: "nothing was heard of it for 3600 s" }]);
      expect(result.errors).toEqual([]);
      expect(told(events, "agent_completed")).toMatchObject([{ output: { result: "done" } }]);
      await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
    });

    it("raises what a server of the file failed with, whatever the agent would make of it", async () => {
      const at = play();
      const dying = `process.stdin.on("data", (chunk) => { for (const line of String(chunk).trim().split("\\n")) {
        const { id, method } = JSON.parse(line);
        const say = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
        if (method === "initialize") say({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "d", version: "1" } });
        if (method === "tools/list") say({ tools: [{ name: "search", inputSchema: { type: "object" } }] });
        if (method === "tools/call") process.exit(3);
      } });`;
      at.write({
        "dying.mjs": dying,
        "main.yaml": file(agent, "retry: { max_attempts: 1 }").replace(
          "working_dir: work",
          `working_dir: work, mcp_servers: { desk: { command: node, args: [${JSON.stringify(join(at.folder, "dying.mjs"))}] } }`,
        ),
      });
      at.play = ({ results, tools }) =>
        results.length === 0
          ? { tools: [{ name: tools.find(({ name }) => name.endsWith("desk__search"))?.name ?? "", input: {} }] }
          : "never mind";
      const { result } = await at.run("main.yaml");
      expect(result.errors).toMatchObject([{ kind: expect.stringMatching(/^mcp\./) }]);
    });

    it("is provider.rejected with what installs it when its package is not there", async () => {
      const at = play();
      rmSync(join(at.folder, "node_modules", PACKAGES[agent].split("/")[0] ?? ""));
      at.write({ "main.yaml": file(agent, "retry: { max_attempts: 1 }") });
      const { result } = await at.run("main.yaml");
      expect(result.errors).toMatchObject([
        { kind: "provider.rejected", message: expect.stringContaining(`npm install ${PACKAGES[agent]}`) },
      ]);
    });

    it("is provider.rejected when its package is there without the program for this machine", async () => {
      const at = play();
      const scope = join(at.folder, "node_modules", PACKAGES[agent].split("/")[0] ?? "");
      const real = realpathSync(join(at.folder, "node_modules", PACKAGES[agent]));
      rmSync(scope);
      cpSync(real, join(at.folder, "node_modules", PACKAGES[agent]), { recursive: true });
      at.write({ "main.yaml": file(agent, "retry: { max_attempts: 1 }") });
      const { result } = await at.run("main.yaml");
      expect(result.errors).toMatchObject([
        { kind: "provider.rejected", message: expect.stringContaining("has no program for") },
      ]);
    });
  });
