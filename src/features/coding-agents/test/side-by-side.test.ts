// Two agents in one folder, each with a Segno of its own: one ends, and what guards the other's commands stays.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import {
  type CodingPlayground,
  codingPlayground,
  describeAgent,
  ended,
  hasSandbox,
  oneStep,
  REAL_AGENTS,
  told,
} from "./workshop.ts";

const play = codingPlayground();

/** What acts later on whoever works in the folder; nothing of it is there before. */
const GUARDED = ["segno.yaml", ".segno/evil", ".git/commondir", ".git/config.worktree"];

/** The same step, driven by a process of its own. */
const inAnotherProcess = async (at: CodingPlayground): Promise<void> =>
  expect(await ended(at.start({ file: "short.yaml" }))).toBe(0);

const untilFile = (name: string): string => `while [ ! -e ${name} ]; do sleep 0.05; done`;

for (const { agent, model, command } of REAL_AGENTS)
  describeAgent(agent, "beside another in its folder", () => {
    // Who puts what guards them and takes it away is the same for every agent: each is tried in one of the two orders.
    const [order, short] =
      agent === "codex"
        ? ["came and went while it worked", "true"]
        : ["was there before it, and ended first", `touch short-begun; ${untilFile("long-begun")}`];
    it.skipIf(!hasSandbox)(`changes nothing that is guarded when the other ${order}`, async () => {
      const at = play();
      execFileSync("git", ["init", "-q", at.work]);
      const tries = GUARDED.map((path) => `(echo evil > ${path})`).join("; ");
      const calls: Readonly<Record<string, string>> = {
        Long: `touch long-begun; ${untilFile("short-ended")}; ${tries}; git status > status.txt; true`,
        Short: short,
      };
      at.play = ({ messages, results }) => {
        const task = /(Long|Short) task/.exec(JSON.stringify(messages))?.[1] ?? "";
        return results.length === 0 ? { tools: [command(calls[task] ?? "")] } : "done";
      };
      at.write({
        "long.yaml": oneStep({ agent, model }, "prompt: Long task."),
        "short.yaml": oneStep({ agent, model }, "prompt: Short task."),
      });
      const begun = short.includes("short-begun") ? inAnotherProcess(at) : undefined;
      if (begun) await until(() => existsSync(join(at.work, "short-begun")));
      const working = at.run("long.yaml");
      await until(() => existsSync(join(at.work, "long-begun")));
      await (begun ?? inAnotherProcess(at));
      writeFileSync(join(at.work, "short-ended"), "");
      const { result, events } = await working;
      expect(result.errors).toEqual([]);
      expect(readFileSync(join(at.work, "status.txt"), "utf8")).toContain("On branch");
      expect(GUARDED.filter((path) => existsSync(join(at.work, path)))).toEqual([]);
      const made = ["long-begun", "short-ended", "status.txt"];
      const both = begun ? [...made, "short-begun"] : made;
      expect(readdirSync(at.work).sort()).toEqual([".git", ...both].sort());
      const [completed] = told(events, "agent_completed");
      expect(completed).toMatchObject({ changes: { files: made.map((path) => ({ path })) } });
    });
  });
