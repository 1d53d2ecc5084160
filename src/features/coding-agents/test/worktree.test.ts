// A folder whose repository is kept elsewhere, as that of a worktree or a submodule: `.git` is a file that leads there.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
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

interface Kept {
  /** What git runs, or finds by where it looks for what it runs. */
  readonly files: readonly string[];
  /** In which hooks are looked for. */
  readonly folders: readonly string[];
  readonly comesFrom?: readonly string[];
}

/** Makes the agent's folder one whose repository is kept elsewhere. */
const KINDS: Readonly<Record<string, (at: CodingPlayground, git: Git) => Kept>> = {
  worktree: (at, git) => {
    git("init", "-q", "main");
    git("-C", "main", "commit", "-q", "--allow-empty", "-m", "first");
    git("-C", "main", "worktree", "add", "-q", at.work);
    const own = join(at.folder, "main/.git/worktrees/work");
    const files = [join(own, "commondir"), join(own, "gitdir"), join(at.folder, "main/.git/config")];
    return { files, folders: [own, join(at.folder, "main/.git")], comesFrom: [join(at.folder, "main")] };
  },
  submodule: (at, git) => {
    git("init", "-q", "other");
    git("-C", "other", "commit", "-q", "--allow-empty", "-m", "first");
    git("init", "-q", ".");
    git("submodule", "--quiet", "add", "./other", "work");
    const own = join(at.folder, ".git/modules/work");
    return { files: [join(own, "config")], folders: [own, join(at.folder, ".git")] };
  },
  "repository that is kept below the folder": (at, git) => {
    mkdirSync(at.work);
    git("init", "-q", "--separate-git-dir", join(at.work, "kept"), at.work);
    git("-C", "work", "commit", "-q", "--allow-empty", "-m", "first");
    return { files: [join(at.work, "kept/config")], folders: [join(at.work, "kept")] };
  },
};

type Git = (...args: readonly string[]) => void;

function furnish(at: CodingPlayground, kind: string): Kept {
  rmSync(at.work, { recursive: true });
  const who = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always"];
  const git: Git = (...args) =>
    void execFileSync("git", [...who, ...args], {
      cwd: at.folder,
      stdio: "pipe",
      env: { ...process.env, HOME: at.folder },
    });
  return KINDS[kind]?.(at, git) ?? { files: [], folders: [] };
}

const edit = (agent: string, file: string): FakeCall =>
  agent === "codex"
    ? {
        name: "exec_command",
        input: { cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n+evil\n*** End Patch\nEOF` },
      }
    : { name: "Write", input: { file_path: file, content: "evil\n" } };

for (const { agent, model, command } of REAL_AGENTS)
  describeAgent(agent, "in a folder whose repository is kept elsewhere", () => {
    // What is guarded is looked up for every agent alike; that each guards it is tried once.
    it.skipIf(!hasSandbox).each(agent === "codex" ? Object.keys(KINDS) : ["worktree"])(
      "works in it, and changes nothing that git runs (%s)",
      async (kind) => {
        const at = play();
        const { files, folders, comesFrom = [] } = furnish(at, kind);
        const pointer = join(at.work, ".git");
        const contents = (): string[] => files.map((path) => readFileSync(path, "utf8"));
        const where = (): string => execFileSync("git", ["rev-parse", "--git-dir"], { cwd: at.work, encoding: "utf8" });
        const names = (): string[] => [...folders, ...comesFrom].flatMap((path) => readdirSync(path));
        const before = [...contents(), where()];
        const namesBefore = names();
        const tries = [
          ...[...files, pointer].flatMap((path) => [`echo evil >> ${path}`, `echo evil > n && mv -fT n ${path}`]),
          ...folders.flatMap((path) => [
            `mkdir -p ${path}/hooks; echo evil > ${path}/hooks/post-checkout`,
            `echo evil > ${path}/config.worktree`,
            `[ -e ${path}/commondir ] || echo evil > ${path}/commondir`,
            `mv ${path} ${path}-away`,
          ]),
          "git log --format=%s",
          "git status --short",
          "echo fine > fine.txt",
        ];
        const edits = folders.map((path) => ({ tools: [edit(agent, join(path, "hooks/pre-commit"))] }));
        at.play = inTurn(
          { tools: [command(`${tries.map((one) => `(${one})`).join("; ")}; true`)] },
          ...edits,
          { tools: [edit(agent, pointer)] },
          "done",
        );
        at.write({ "main.yaml": oneStep({ agent, model }, "prompt: Go.") });
        const { result, events } = await at.run("main.yaml");
        expect(result.errors).toEqual([]);
        const [said] = told(events, "agent_tool_complete").map((one) => JSON.stringify(one.result));
        expect(said).toContain("first");
        expect(existsSync(join(at.work, "fine.txt"))).toBe(true);
        expect([...contents(), where()]).toEqual(before);
        // Nothing that a sandbox mounted over is left either.
        expect(names()).toEqual(namesBefore);
        for (const path of folders)
          for (const name of ["hooks/post-checkout", "hooks/pre-commit"])
            expect(existsSync(join(path, name)), `${path}/${name}`).toBe(false);
        expect(execFileSync("git", ["log", "--format=%s"], { cwd: at.work, encoding: "utf8" })).toBe("first\n");
      },
    );

    it("does not begin where that is a link, which it could replace", async () => {
      const at = play();
      execFileSync("git", ["init", "-q", "kept"], { cwd: at.folder });
      symlinkSync("../kept/.git", join(at.work, ".git"));
      at.write({ "main.yaml": oneStep({ agent, model }, "prompt: Go.") });
      const { result } = await at.run("main.yaml");
      expect(result.errors).toMatchObject([
        { kind: "provider.rejected", message: expect.stringContaining("is a link") },
      ]);
      expect(at.requests).toEqual([]);
    });

    it.skipIf(!hasSandbox)("reads it under read-only", async () => {
      const at = play();
      furnish(at, "worktree");
      at.play = inTurn({ tools: [command("git log --format=%s")] }, "done");
      at.write({ "main.yaml": oneStep({ agent, model }, "prompt: Go., sandbox: read-only") });
      const { result, events } = await at.run("main.yaml");
      expect(result.errors).toEqual([]);
      expect(JSON.stringify(told(events, "agent_tool_complete"))).toContain("first");
    });
  });
