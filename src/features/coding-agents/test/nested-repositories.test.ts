// Repositories below an agent's folder: git would run their hooks and settings for whoever comes there next.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { FakeCall } from "../../../../test/fakes/index.ts";
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

/** A clone, one deep below, a submodule, a worktree, and one whose folder has another name. */
function furnish(at: CodingPlayground): void {
  const git = (...args: readonly string[]): void => {
    const who = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always"];
    execFileSync("git", [...who, ...args], { cwd: at.work, stdio: "pipe", env: { ...process.env, HOME: at.folder } });
  };
  git("init", "-q", ".");
  git("init", "-q", "clone");
  git("init", "-q", "a/b/c/d/e");
  git("-C", "clone", "commit", "-q", "--allow-empty", "-m", "first");
  git("submodule", "--quiet", "add", "./clone", "module");
  git("commit", "-q", "-m", "first");
  git("worktree", "add", "-q", "tree");
  mkdirSync(join(at.work, "named"));
  git("init", "-q", "--bare", "named/.bare");
  writeFileSync(join(at.work, "named/.git"), "gitdir: ./.bare\n");
}

const FOLDERS = ["clone/.git", "a/b/c/d/e/.git", ".git/modules/module", "named/.bare"];
const CONFIGS = FOLDERS.map((path) => `${path}/config`);
const POINTERS = ["module/.git", "tree/.git", "named/.git"];

/** By the tool with which the agent edits files itself, outside of its commands. */
const edit = (agent: string, file: string): FakeCall =>
  agent === "codex"
    ? {
        name: "exec_command",
        input: { cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n+text\n*** End Patch\nEOF` },
      }
    : { name: "Write", input: { file_path: file, content: "text\n" } };

for (const { agent, model, command } of REAL_AGENTS)
  describeAgent(agent, "with repositories below its folder", () => {
    it.skipIf(!hasSandbox)("changes none of their hooks and settings, and nothing that leads to them", async () => {
      const at = play();
      furnish(at);
      const contents = (): string[] =>
        [...CONFIGS, ...POINTERS].map((path) => readFileSync(join(at.work, path), "utf8"));
      const before = contents();
      const tries = [
        ...FOLDERS.flatMap((path) => [`mkdir -p ${path}/hooks; echo evil > ${path}/hooks/post-checkout`]),
        ...CONFIGS.flatMap((path) => [`echo evil >> ${path}`, `echo evil > new && mv -f new ${path}`]),
        ...POINTERS.map((path) => `echo gitdir: evil > new && mv -f new ${path}`),
        "echo ../../evil > clone/.git/commondir",
        "mv clone clone-away",
        "mv a/b a/away",
        "git -C clone log --format=%s",
        "echo fine > clone/fine.txt; echo fine > a/b/fine.txt",
      ];
      const edits = ["clone/.git/hooks/pre-commit", "clone/edited.txt"].map((path) => edit(agent, join(at.work, path)));
      at.play = inTurn(
        { tools: [command(`${tries.map((one) => `(${one})`).join("; ")}; true`)] },
        ...edits.map((one) => ({ tools: [one] })),
        "done",
      );
      at.write({ "main.yaml": oneStep({ agent, model }, "prompt: Go.") });
      const { result, events } = await at.run("main.yaml");
      expect(result.errors).toEqual([]);
      const [said] = told(events, "agent_tool_complete").map((one) => JSON.stringify(one.result));
      // Reading them is fine, and so is working beside them.
      expect(said).toContain("first");
      for (const path of ["clone/fine.txt", "a/b/fine.txt", "clone/edited.txt"])
        expect(existsSync(join(at.work, path)), path).toBe(true);
      expect(contents()).toEqual(before);
      for (const path of [...FOLDERS.map((one) => `${one}/hooks/post-checkout`), "clone/.git/commondir"])
        expect(existsSync(join(at.work, path)), path).toBe(false);
      expect(existsSync(join(at.work, "clone/.git/hooks/pre-commit"))).toBe(false);
    });
  });
