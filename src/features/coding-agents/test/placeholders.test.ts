// What a sandbox mounts over while a command runs is gone when the agent is, however that ended, and bothers nobody before.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MovedClock } from "../../../../test/support/moved-clock.ts";
import { until } from "../../../../test/support/until.ts";
import {
  type CodingPlayground,
  codingPlayground,
  describeAgent,
  hasSandbox,
  kill,
  pidsWith,
  processesWith,
  REAL_AGENTS,
  told,
} from "./workshop.ts";

const play = codingPlayground();

const file = (agent: string, model: string, step: string): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: ${agent}, default_model: ${model}, working_dir: . }
agents:
  - { name: fix, prompt: Write it.${step} }
`;

/** Names in the folder and in its repository, without what git keeps as objects. */
const seen = (at: CodingPlayground): string[] =>
  [
    ...readdirSync(at.folder),
    ...["", "info", "objects/info"].flatMap((folder) =>
      existsSync(join(at.folder, ".git", folder))
        ? readdirSync(join(at.folder, ".git", folder)).map((name) => join(".git", folder, name))
        : [],
    ),
  ]
    .filter((name) => !OWN.has(name))
    .sort();

/** Segno's home, what programs keep in their user's home, which is this folder here, and what the agent made. */
const OWN: ReadonlySet<string> = new Set(["home", ".home", ".cache", ".config", ".npm", "begun"]);

const agentsIn = (folder: string): number[] => pidsWith(`SEGNO_AGENT_FOLDER=${folder}\0`);

interface Completed {
  readonly changes: { readonly files: readonly { readonly path: string }[] };
}

const SLEEPS = "touch begun; sleep 300";

for (const { agent, model, command } of REAL_AGENTS)
  describeAgent(agent, "in the folder of its workflow", () => {
    const sleeps = { tools: [command(SLEEPS)] };
    it.skipIf(!hasSandbox)("killed in the middle of a command, leaves a folder that can be worked in", async () => {
      const at = play();
      execFileSync("git", ["init", "-q", at.folder]);
      at.play = ({ index }) => (index === 0 ? sleeps : "done");
      at.write({ "main.yaml": file(agent, model, "") });
      const before = seen(at);
      const running = at.start();
      await until(() => existsSync(join(at.folder, "begun")));
      expect(await at.segno("runs")).toContain("code");
      await kill(running);
      expect(await at.segno("show")).toContain("code");
      await at.segno("resume");
      expect(seen(at)).toEqual(before);
    });

    it.skipIf(!hasSandbox)("killed with its Segno and never resumed, is cleaned up after by doctor", async () => {
      const at = play();
      execFileSync("git", ["init", "-q", at.folder]);
      at.play = () => sleeps;
      at.session.env.HOME = join(at.folder, "home");
      at.write({ "main.yaml": file(agent, model, ""), ".claude/settings.json": "{}\n" });
      const before = seen(at);
      const running = at.start();
      await until(() => existsSync(join(at.folder, "begun")));
      await kill(running);
      // Codex may have ended with its pipes; who lives on is still guarded.
      if (agentsIn(at.folder).length > 0) {
        await at.segno("doctor");
        if (agentsIn(at.folder).length > 0) expect(seen(at)).not.toEqual(before);
      }
      await until(() => {
        const left = agentsIn(at.folder);
        for (const pid of left) spawnSync("kill", ["-9", String(pid)]);
        return left.length === 0;
      });
      await at.segno("doctor");
      expect(seen(at)).toEqual(before);
      expect(readdirSync(join(at.folder, ".claude"))).toEqual(["settings.json"]);
    });

    it.skipIf(!hasSandbox)("stopped by its step's timeout, leaves nothing", async () => {
      const at = play();
      execFileSync("git", ["init", "-q", at.folder]);
      at.play = ({ index }) => (index === 0 ? sleeps : "done");
      at.write({ "main.yaml": file(agent, model, ", timeout: 3600") });
      const before = seen(at);
      const clock = new MovedClock();
      const running = at.run("main.yaml", { extensions: { clock } });
      await until(() => existsSync(join(at.folder, "begun")));
      clock.move(3_600_000);
      const { result } = await running;
      expect(result.errors).toMatchObject([{ kind: "internal.timeout" }]);
      await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
      expect(seen(at)).toEqual(before);
    });

    it.skipIf(!hasSandbox)(
      "done, in a folder that is no repository, leaves what it changed and nothing else",
      async () => {
        const at = play();
        at.play = ({ index }) => (index === 0 ? { tools: [command("echo 1 > begun")] } : "done");
        at.write({ "main.yaml": file(agent, model, "") });
        const before = seen(at);
        const { result, events } = await at.run("main.yaml");
        expect(result.errors).toEqual([]);
        expect(seen(at)).toEqual(before);
        const [completed] = told(events, "agent_completed") as unknown as readonly [Completed];
        const changed = completed.changes.files.map(({ path }) => path);
        expect(changed.filter((path) => path === "begun" || !OWN.has(path.split("/")[0] ?? ""))).toEqual(["begun"]);
      },
    );
  });
