// Git in the commands of an agent: it commits its work, all of it, and nothing of what the sandbox put beside it.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, hasSandbox, inTurn, oneStep, REAL_AGENTS } from "./workshop.ts";

const play = codingPlayground();
const [claude] = REAL_AGENTS;

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });

if (claude)
  describeAgent(claude.agent, "that commits", () => {
    it.skipIf(!hasSandbox).each([
      ["of all of a repository", ""],
      ["of a folder in one", "packages/odd [name]"],
    ])(
      "adds what it made and nothing of the sandbox's, and leaves nothing in its user's home: %s",
      async (_, below) => {
        const at = play();
        at.session.env.HOME = join(at.folder, "user");
        at.write({
          "user/.gitconfig": "[user]\n\tname = n\n\temail = n@x\n[core]\n\texcludesFile = ~/excludes\n",
          "user/excludes": "*.secret\n",
          [join("work", below, ".claude/settings.json")]: "{}\n",
          [join("work", below, ".zshrc")]: "# real, and not committed yet\n",
          "main.yaml": oneStep(claude, "prompt: Go.").replace(": work", `: "${join("work", below)}"`),
        });
        git(at.work, "init", "-q");
        const made =
          'echo 1 > mine.txt; mkdir deep; echo 1 > deep/.mcp.json; echo 1 > x.secret; echo "$XDG_CONFIG_HOME$XDG_CACHE_HOME" > xdg.secret';
        // Git's own files can be written only where they are in the agent's folder.
        const commits = "git add -A && git commit -qm all; git ls-files > listed.txt";
        const looks = "git status --porcelain -uall | cut -d/ -f3- | tr -d '\"' > listed.txt";
        at.play = inTurn({ tools: [claude.command(`${made}; ${below === "" ? commits : looks}`)] }, "done");
        const { result } = await at.run("main.yaml");
        expect(result.errors).toEqual([]);
        const listed = readFileSync(join(at.work, below, "listed.txt"), "utf8")
          .trim()
          .split("\n");
        const own = [".claude/settings.json", ".zshrc", "deep/.mcp.json", "mine.txt"];
        expect(listed.filter((name) => name !== "listed.txt")).toEqual(own);
        expect(readFileSync(join(at.work, below, "xdg.secret"), "utf8")).toBe("\n");
        const left = readdirSync(join(at.folder, "user")).filter((name) => name !== ".npm");
        expect(left.sort()).toEqual([".gitconfig", "excludes"]);
      },
    );
  });
