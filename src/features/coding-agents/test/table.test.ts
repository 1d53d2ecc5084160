// Rows of the table of what a sandbox allows that no other test tries: what commands may do, agent by agent.
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, hasSandbox, inTurn, oneStep, REAL_AGENTS, told } from "./workshop.ts";

const play = codingPlayground();

for (const one of REAL_AGENTS)
  describeAgent(one.agent, "and the table of what a sandbox allows", () => {
    it.skipIf(!hasSandbox)("read-only: reads with commands, and writes with none, nor with its own tools", async () => {
      const at = play();
      writeFileSync(join(at.work, "in.txt"), "bridges");
      const edit = { name: "Write", input: { file_path: join(at.work, "b.txt"), content: "x" } };
      const commands = ["cat in.txt", "touch a.txt", "echo x > c.txt"].map((line) => one.command(line));
      const calls = one.agent === "codex" ? commands : [...commands, edit];
      at.play = inTurn(...calls.map((call) => ({ tools: [call] })), "done");
      // A command that `allow` names writes nothing either.
      at.write({ "main.yaml": oneStep(one, 'prompt: Go., sandbox: read-only, allow: ["Bash(touch:*)"]') });
      const { result, events } = await at.run("main.yaml");
      expect(result.status).toBe("completed");
      const [read, ...refused] = told(events, "agent_tool_complete");
      expect(JSON.stringify(read?.result)).toContain("bridges");
      expect(refused).toHaveLength(calls.length - 1);
      if (one.agent === "codex") expect(JSON.stringify(refused)).toContain("Read-only");
      else expect(refused.every(({ failed }) => failed)).toBe(true);
      expect(at.files()).toEqual(["in.txt"]);
    });
  });

// Claude does commit in its own repository: src/features/coding-agents/test/git-in-sandbox.test.ts.
for (const codex of REAL_AGENTS.filter(({ agent }) => agent === "codex"))
  describeAgent(codex.agent, "and its own repository", () => {
    it("workspace: commits nothing, and writes nothing into the folder for temporary files", async () => {
      const at = play();
      const git = (...args: readonly string[]) =>
        spawnSync("git", ["-C", at.work, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" });
      git("init", "-q");
      git("commit", "-q", "--allow-empty", "-m", "first");
      const temporary = join(tmpdir(), `${basename(at.folder)}-beside`);
      const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second; git branch other";
      at.play = inTurn({ tools: [codex.command(`(echo x > ${temporary}); ${commit}`)] }, "done");
      at.write({ "main.yaml": oneStep(codex, "prompt: Go., sandbox: workspace") });
      expect((await at.run("main.yaml")).result.status).toBe("completed");
      expect(existsSync(temporary)).toBe(false);
      expect(git("log", "--format=%s").stdout).toBe("first\n");
      expect(git("branch", "--list", "other").stdout.trim()).toBe("");
    });
  });
