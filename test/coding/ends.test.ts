// How an agent's work ends when it does not end by itself: killed, out of time, not installed, its session gone.
import { cpSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answerGate } from "../../src/services/gates.ts";
import { type AgentName, codingPlayground, describeAgent, inTurn, processesWith, told } from "./workshop.ts";

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

const outside = {
  "claude-agent-sdk": (path: string) => ({ name: "Write", input: { file_path: path, content: "x" } }),
  codex: (path: string) => ({
    name: "exec_command",
    input: { cmd: `echo x > ${path}`, sandbox_permissions: "require_escalated", justification: "May I?" },
  }),
};
const PACKAGES = { "claude-agent-sdk": "@anthropic-ai/claude-agent-sdk", codex: "@openai/codex" };
const SESSIONS = { "claude-agent-sdk": "projects", codex: "sessions" };

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
      expect(processesWith(result.run_id ?? "-")).toEqual([]);
    });

    it("is given up when nothing is heard of it, and really asked again", async () => {
      const at = play();
      at.play = ({ index }) => (index === 0 ? { fault: "slow_headers" } : "done");
      const runtime = file(agent, "retry: { max_attempts: 2, delay_seconds: 0 }");
      // Claude is silent while it starts, which takes seconds on a busy machine.
      const seconds = agent === "codex" ? 5 : 12;
      at.write({ "main.yaml": runtime.replace("working_dir", `timeout: ${seconds}, working_dir`) });
      const { result, events } = await at.run("main.yaml");
      expect(told(events, "agent_retry")).toMatchObject([{ error: `nothing was heard of it for ${seconds} s` }]);
      expect(result.errors).toEqual([]);
      expect(told(events, "agent_completed")).toMatchObject([{ output: { result: "done" } }]);
      expect(processesWith(result.run_id ?? "-")).toEqual([]);
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

    it("raises internal.timeout at the step's timeout, and leaves no process", async () => {
      const at = play();
      at.play = () => ({ fault: "slow_headers" });
      at.write({ "main.yaml": file(agent, "timeout: 3") });
      const { result } = await at.run("main.yaml");
      expect(result.errors).toMatchObject([{ kind: "internal.timeout" }]);
      expect(processesWith(result.run_id ?? "-")).toEqual([]);
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

    it("begins anew, and says so, when its session is gone", async () => {
      const at = play();
      at.play = inTurn({ tools: [outside[agent](join(at.folder, "beside.txt"))] }, "done");
      at.write({ "main.yaml": file(agent, "ask: gate") });
      const { result } = await at.run("main.yaml");
      expect(result.status).toBe("paused");
      const kept = readdirSync(at.surroundings.home ?? "", { recursive: true, encoding: "utf8" });
      const sessions = kept.filter((path) => path.endsWith(`/${SESSIONS[agent]}`));
      expect(sessions).toHaveLength(1);
      for (const path of sessions) rmSync(join(at.surroundings.home ?? "", path), { recursive: true });
      at.play = () => "done";
      await answerGate({ ...at.surroundings, run: result.run_id ?? "", value: "deny", inputs: {} });
      expect(readFileSync(result.artifacts?.events_jsonl ?? "", "utf8")).toMatch(
        /"type":"warning".*is not there any more, or is damaged: the agent begins anew/,
      );
      expect(at.requests.at(-1)?.prompt).toContain("Go.");
    });
  });
