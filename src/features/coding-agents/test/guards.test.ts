// What an agent cannot change though it stands in its own folder: what would act later with somebody else's rights.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  type CodingPlayground,
  codingPlayground,
  describeAgent,
  hasSandbox,
  inTurn,
  oneStep,
  REAL_AGENTS,
  told,
} from "./workshop.ts";

const play = codingPlayground();

const GUARDED = ["main.yaml", "part.md", "segno.yaml", "plugins/mine.mjs", ".git/config"];

/** A repository that is the agent's folder and a project at once, with Segno's home in it. */
function furnish(at: CodingPlayground, agent: string, model: string): void {
  execFileSync("git", ["init", "-q", at.folder]);
  mkdirSync(join(at.folder, "plugins"));
  at.write({
    "main.yaml": `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: ${agent}, default_model: ${model}, working_dir: . }
agents:
  - { name: fix, prompt: !file part.md }
`,
    "part.md": "Go.",
    "segno.yaml": "",
    "plugins/mine.mjs": "export {};\n",
  });
  const actingFiles = [join(at.folder, "segno.yaml"), join(at.folder, "plugins/mine.mjs")];
  Object.assign(at.session, { project: { actingFiles } });
}

for (const { agent, model, command } of REAL_AGENTS)
  describeAgent(agent, "in the folder of a project", () => {
    it.skipIf(!hasSandbox)(
      "changes neither what tells Segno what to do, nor git's hooks, and sees nothing of its home",
      async () => {
        const at = play();
        furnish(at, agent, model);
        const home = at.session.home ?? "";
        mkdirSync(home, { mode: 0o700 });
        writeFileSync(join(home, "private.txt"), "what-segno-keeps");
        const before = GUARDED.map((path) => readFileSync(join(at.folder, path), "utf8"));
        const outside = join(tmpdir(), `segno-outside-${process.pid}`);
        const tries = [
          ...GUARDED.flatMap((path) => [
            `echo evil >> ${path}`,
            `echo evil > new && mv -f new ${path}`,
            `unlink ${path}`,
          ]),
          "echo evil > .git/hooks/post-checkout",
          "mv .git/hooks .git/away && ln -s ../work .git/hooks",
          "mv .git .git-away",
          "mv plugins plugins-away",
          `cat ${join(home, "private.txt")}`,
          `echo evil > ${join(home, "evil.txt")}`,
          `ln -s ${tmpdir()} out; echo evil > out/${outside.split("/").at(-1)}`,
          "cat main.yaml | head -3",
          "echo fine > fine.txt",
        ];
        at.play = inTurn({ tools: [command(`${tries.map((one) => `(${one})`).join("; ")}; true`)] }, "done");
        const { result, events } = await at.run("main.yaml");
        expect(result.errors).toEqual([]);
        const said = JSON.stringify(told(events, "agent_tool_complete")[0]?.result);
        expect(existsSync(join(at.folder, "fine.txt"))).toBe(true);
        expect(said).toContain("name: code");
        expect(said).not.toContain("what-segno-keeps");
        expect(GUARDED.map((path) => readFileSync(join(at.folder, path), "utf8"))).toEqual(before);
        expect(existsSync(join(at.folder, ".git/hooks/post-checkout"))).toBe(false);
        expect(existsSync(join(home, "evil.txt"))).toBe(false);
        expect(existsSync(outside)).toBe(false);
      },
    );

    // Which files these are is looked up for every agent alike.
    if (agent !== "codex") return;
    it.skipIf(!hasSandbox)("does not change its plugins either when the run was started from above", async () => {
      const at = play();
      execFileSync("git", ["init", "-q", at.work]);
      at.write({
        "work/main.yaml": oneStep({ agent, model }, "prompt: Go.").replace("working_dir: work", "working_dir: ."),
        "work/segno.yaml": "plugins: [plug/p.mjs]\n",
        "work/plug/p.mjs": 'import "./lib.mjs";\nexport default {};\n',
        "work/plug/lib.mjs": "export {};\n",
      });
      const files = ["segno.yaml", "plug/p.mjs", "plug/lib.mjs"];
      const contents = (): string[] => files.map((file) => readFileSync(join(at.work, file), "utf8"));
      const before = contents();
      const tries = [...files.map((file) => `echo evil >> ${file}`), "mv plug away", "echo fine > plug/fine.txt"];
      at.play = inTurn({ tools: [command(`${tries.map((one) => `(${one})`).join("; ")}; true`)] }, "done");
      const { result } = await at.run("work/main.yaml");
      expect(result.errors).toEqual([]);
      expect(existsSync(join(at.work, "plug/fine.txt"))).toBe(true);
      expect(contents()).toEqual(before);
    });
  });
