// Segno is killed at moments in which an agent's work is done, asked about or asked for again, and nothing of that is on
// record yet: the session goes on, what was changed is told, nothing is done twice and no process is left.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { FakeCall } from "../../../../test/fakes/index.ts";
import type { Played } from "../../../../test/support/play.ts";
import { until } from "../../../../test/support/until.ts";
import { answerGate, listGates } from "../../../services/gates/gates.ts";
import {
  type CodingPlayground,
  codingPlayground,
  describeAgent,
  ended,
  kill,
  processesWith,
  REAL_AGENTS,
  told,
} from "./workshop.ts";

const play = codingPlayground();

const local = (name: string): string => new URL(name, import.meta.url).pathname;

/** Drives the file with somebody who is asked, and thinks about it for ever. */
const ASKED_FOR_EVER = `import { writeFileSync } from "node:fs";
import { run } from "segno";
const ask = () => { writeFileSync("asked", ""); return new Promise(() => {}); };
await run("main.yaml", { ask });
`;

/** Calls that a sandbox does not allow. */
const outside: Readonly<Record<string, (path: string) => FakeCall>> = {
  "claude-agent-sdk": (path) => ({ name: "Write", input: { file_path: path, content: "x" } }),
  codex: (path) => ({
    name: "exec_command",
    input: { cmd: `echo x > ${path}`, sandbox_permissions: "require_escalated", justification: "May I?" },
  }),
};

async function expectWorkDoneOnce(at: CodingPlayground, { result, events }: Played): Promise<void> {
  expect(result).toMatchObject({ status: "completed" });
  expect(readFileSync(join(at.work, "a.txt"), "utf8")).toBe("once\n");
  expect(told(events, "agent_completed")).toMatchObject([
    { changes: { files: [{ path: "a.txt", change: "added", added: 1 }] } },
  ]);
  const sessions = told(events, "agent_session");
  expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
  expect(sessions.at(-1)).toMatchObject({ resumed: true });
  expect(JSON.stringify(at.requests.at(-1)?.messages)).toContain("Write it.");
  await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
}

for (const one of REAL_AGENTS) {
  const file = (step: string, provider = ""): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: { name: ${one.agent}, sandbox: full${provider} }, default_model: ${one.model}, working_dir: work }
agents:
  - { name: fix, prompt: Write it., output: { done: { type: boolean } }${step} }
`;
  const writes = { tools: [one.command("echo once >> a.txt")] };
  const isDone = { json: { done: true } };

  describeAgent(one.agent, "whose engine is killed", () => {
    // What Segno does after the answer is the same for every agent; that each goes on in its session, crash.test.ts tries.
    const moments: [string, string][] = [
      ["while its changes are looked for", "lstat a.txt"],
      ["between its answer and the record of it", "rename .json.gz"],
      ["just before the answer is recorded", "rename! .json.gz"],
    ];
    it.each(one.agent === "codex" ? moments : [])("%s", async (_, moment) => {
      const at = play();
      at.play = ({ results }) => (results.length === 0 ? writes : isDone);
      at.write({ "main.yaml": file("") });
      const killed = at.start({ node: ["--require", local("kill-at.cjs")], env: { KILL_AT: moment } });
      expect(await ended(killed)).toBe("SIGKILL");
      const { length } = at.requests;
      expect(length).toBe(2);
      const played = await at.resume("main.yaml");
      await expectWorkDoneOnce(at, played);
      expect(at.requests.length).toBeGreaterThan(length);
    });

    it("while a person is asked whether it may do something", async () => {
      const at = play();
      const beside = join(at.folder, "beside.txt");
      at.play = ({ results, prompt }) => {
        if (results.length === 0) return { tools: [one.command("echo once >> a.txt")] };
        return prompt.includes("You were interrupted") ? isDone : { tools: [outside[one.agent]?.(beside) as FakeCall] };
      };
      at.write({ "main.yaml": file("", ", ask: gate").replace("full", "workspace"), "drive.mjs": ASKED_FOR_EVER });
      const segno = at.startNode(["drive.mjs"]);
      await until(() => existsSync(join(at.folder, "asked")));
      await kill(segno);
      const { result } = await at.resume("main.yaml");
      // The question is still open, and nobody is there. Claude may have gone on without an answer, until it was ended.
      expect(result.status).toBe("paused");
      await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
      expect((await listGates(at.session)).gates).toMatchObject([{ run_id: result.run_id, node_id: "fix" }]);
      const answered = await answerGate(at.session, { run: result.run_id ?? "", value: "deny", inputs: {} });
      const lines = readFileSync(answered.artifacts?.events_jsonl ?? "", "utf8")
        .trim()
        .split("\n");
      await expectWorkDoneOnce(at, { result: answered, events: lines.map((line) => JSON.parse(line)), errorLines: [] });
      expect(at.requests.at(-1)?.prompt).toContain("The answer is no.");
      expect(existsSync(beside)).toBe(false);
    });

    if (one.agent !== "codex") return;
    it("while it is asked for its answer again", async () => {
      const at = play();
      let isAskedAgain = false;
      at.play = async ({ results, index, prompt }) => {
        if (results.length === 0) return writes;
        if (index === 1) return "prose";
        if (prompt.includes("You were interrupted")) return isDone;
        isAskedAgain ||= prompt.includes("need not be done again");
        return isAskedAgain ? { fault: "slow_headers" } : "prose";
      };
      at.write({ "main.yaml": file("") });
      const segno = at.start();
      await until(() => isAskedAgain);
      await kill(segno);
      await expectWorkDoneOnce(at, await at.resume("main.yaml"));
    });
  });
}
