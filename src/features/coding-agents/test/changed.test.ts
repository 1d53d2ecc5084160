// What an agent changed, as people and programs read it afterwards.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, hasSandbox, inTurn, REAL_AGENTS } from "./workshop.ts";

const play = codingPlayground();

for (const { agent, model, command } of REAL_AGENTS.filter((one) => one.agent === "codex"))
  describeAgent(agent, "with Segno's home in its folder", () => {
    it.skipIf(!hasSandbox)("is shown with what it changed, and not with what Segno wrote meanwhile", async () => {
      const at = play();
      at.session.home = join(at.folder, "kept/by-segno");
      mkdirSync(at.session.home, { recursive: true });
      writeFileSync(join(at.folder, "old.txt"), "one\ntwo\n");
      at.play = inTurn({ tools: [command("echo three >> old.txt; mkdir src; echo new > src/new.txt")] }, "done");
      at.write({
        "main.yaml": `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: ${agent}, default_model: ${model}, working_dir: . }
agents:
  - { name: fix, prompt: Go. }
`,
      });
      await at.segno("run", "main.yaml");
      const changes = {
        files: [
          { path: "old.txt", change: "modified", added: 1, removed: 0 },
          { path: "src/new.txt", change: "added", added: 1, removed: 0 },
        ],
        added: 2,
        removed: 0,
      };
      expect(JSON.parse(await at.segno("show", "--output-format", "json")).execution.steps).toMatchObject([
        { node_id: "fix", changes },
      ]);
      expect(JSON.parse(await at.segno("explain", "--output-format", "json")).chapters[0].scenes).toMatchObject([
        { changes },
      ]);
      for (const said of [await at.segno("show"), await at.segno("explain")])
        expect(said).toMatch(/fix .*2 files changed, \+2 −0.*\n\s+M old\.txt \+1 −0\n\s+A src\/new\.txt \+1 −0\n/);
    });
  });
