// Git runs the filters that a repository's settings name whenever it looks whether a file was changed. An agent that only
// looks must not run them.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, hasSandbox, inTurn, oneStep, REAL_AGENTS, told } from "./workshop.ts";

const play = codingPlayground();

/** A repository with a filter that leaves a trace, its environment, and a file that git has to look at. */
function furnish(): string {
  const at = play();
  const trace = join(at.folder, "SPRUNG");
  const git = (...args: readonly string[]): void => {
    const who = ["-c", "user.name=x", "-c", "user.email=x@x"];
    execFileSync("git", [...who, ...args], { cwd: at.work, stdio: "pipe", env: { ...process.env, HOME: at.folder } });
  };
  git("init", "-q", ".");
  writeFileSync(join(at.work, "a.txt"), "one");
  writeFileSync(join(at.work, ".gitattributes"), "* filter=theirs diff=theirs\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  const filter = join(at.folder, "filter.sh");
  writeFileSync(filter, `#!/bin/sh\nenv >> ${trace}\ncat\n`);
  chmodSync(filter, 0o755);
  for (const name of ["filter.theirs.clean", "filter.theirs.smudge", "diff.theirs.textconv", "core.fsmonitor"])
    git("config", name, filter);
  writeFileSync(join(at.work, "a.txt"), "two");
  utimesSync(join(at.work, "a.txt"), 1, 1);
  return trace;
}

for (const { agent, model, command } of REAL_AGENTS)
  describeAgent(agent, "in a repository with filters", () => {
    it.skipIf(!hasSandbox)("runs none of them by itself, and finds git in its commands", async () => {
      const at = play();
      const trace = furnish();
      at.play = inTurn({ tools: [command("git log --format=%s")] }, "done");
      at.write({ "main.yaml": oneStep({ agent, model }, "prompt: Go.") });
      const { result, events } = await at.run("main.yaml");
      expect(result.errors).toEqual([]);
      expect(JSON.stringify(told(events, "agent_tool_complete"))).toContain("first");
      expect(existsSync(trace) ? readFileSync(trace, "utf8") : "").toBe("");
    });

    it("shows them no key where it asks git all the same", async () => {
      const at = play();
      const trace = furnish();
      at.play = inTurn({ tools: [command("git status --short")] }, "done");
      at.write({ "main.yaml": oneStep({ agent, model }, "prompt: Go., sandbox: full") });
      const { result } = await at.run("main.yaml");
      expect(result.errors).toEqual([]);
      expect(readFileSync(trace, "utf8")).not.toContain("key-of-nobody");
      const { authorization, "x-api-key": key } = at.requests.at(-1)?.headers ?? {};
      expect(authorization ?? key).toContain("key-of-nobody");
    });
  });
