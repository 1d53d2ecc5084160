// Rows of the table of what a sandbox allows that no other test tries: what commands may do, agent by agent.
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, hasSandbox, inTurn, oneStep, REAL_AGENTS, told } from "./workshop.ts";

const play = codingPlayground();

for (const one of REAL_AGENTS) {
  const isCodex = one.agent === "codex";
  /** What one command of the agent printed. */
  const printed = async (line: string, step: string): Promise<string> => {
    const at = play();
    at.play = inTurn({ tools: [one.command(line)] }, "done");
    at.write({ "main.yaml": oneStep(one, `prompt: Go., ${step}`) });
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    return JSON.stringify(told(events, "agent_tool_complete")[0]?.result ?? "");
  };

  describeAgent(one.agent, "and the table of what a sandbox allows", () => {
    it.skipIf(!hasSandbox)("read-only: runs commands that only read", async () => {
      writeFileSync(join(play().work, "in.txt"), "bridges");
      expect(await printed("cat in.txt", "sandbox: read-only")).toContain("bridges");
    });

    it.skipIf(!hasSandbox)("read-only: a command that `allow` names writes nothing either", async () => {
      await printed("touch a.txt", 'sandbox: read-only, allow: ["Bash(touch:*)"]');
      expect(play().files()).toEqual([]);
    });

    it.skipIf(!hasSandbox)("workspace: commands write nothing into the folder for temporary files", async () => {
      const path = join(tmpdir(), `${basename(play().folder)}-beside`);
      await printed(`echo x > ${path}`, "sandbox: workspace");
      expect(existsSync(path)).toBe(false);
    });

    it.skipIf(!hasSandbox)(`workspace: ${isCodex ? "commits nothing" : "commits in its own repository"}`, async () => {
      const git = (...args: readonly string[]) =>
        spawnSync("git", ["-C", play().work, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
          encoding: "utf8",
        });
      git("init", "-q");
      git("commit", "-q", "--allow-empty", "-m", "first");
      const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second";
      await printed(commit, "sandbox: workspace");
      expect(git("log", "--format=%s").stdout).toBe(isCodex ? "first\n" : "second\nfirst\n");
    });
  });
}
