// What a power cut leaves of an agent's session: the agent begins anew at the first resume, with its whole task, and says so.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { RunEvent } from "../../../base/events/registry.ts";
import type { Result } from "../../../base/results/index.ts";
import { answerGate } from "../../../services/gates/gates.ts";
import { claude } from "../claude/index.ts";
import { codex } from "../codex/index.ts";
import { CodingPlayground, describeAgent, oneStep, REAL_AGENTS, told } from "./workshop.ts";

/** The file in which the agent keeps its session. */
function sessionFile({ session: { home } }: CodingPlayground): string {
  const [file] = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) =>
    /agents\/.*(?:projects|sessions)\/.*\.jsonl$/.test(path),
  );
  return join(home, file ?? "none");
}

const eventsOf = ({ artifacts }: Result): RunEvent[] =>
  readFileSync(artifacts?.events_jsonl ?? "", "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RunEvent);

const DAMAGES: readonly [string, (lines: readonly string[]) => string][] = [
  ["is empty", () => ""],
  ["has nothing but zeros", (lines) => "\0".repeat(lines.join("\n").length)],
  ["ends before the task", (lines) => lines.slice(0, 1).join("\n")],
  ["begins in the middle", (lines) => lines.slice(Math.floor(lines.length / 2)).join("\n")],
];

for (const one of REAL_AGENTS)
  describeAgent(one.agent, "whose session was damaged", () => {
    // Interrupted once; each test has what that left, as it was.
    const at = new CodingPlayground();
    let run = "";
    let session = "";
    let asIs: string;
    let before = 0;
    beforeAll(async () => {
      await at.open();
      // It pauses to ask, and its process ends in the middle of the work.
      const write = { name: "Write", input: { file_path: join(at.folder, "beside.txt"), content: "x" } };
      const { name, input } = one.agent === "codex" ? one.command("echo x") : write;
      const more = one.agent === "codex" ? { sandbox_permissions: "require_escalated", justification: "May I?" } : {};
      at.play = () => ({ tools: [{ name, input: { ...(input as object), ...more } }] });
      at.write({ "main.yaml": oneStep(one, "prompt: Write the poem., ask: gate") });
      const { result, events } = await at.run("main.yaml");
      expect(result).toMatchObject({ status: "paused" });
      session = told(events, "agent_session")[0]?.id ?? "";
      at.play = () => "done";
      run = result.run_id ?? "";
      asIs = mkdtempSync(join(tmpdir(), "segno-interrupted-"));
      cpSync(at.session.home, asIs, { recursive: true });
    });
    beforeEach(() => {
      rmSync(at.session.home, { recursive: true });
      cpSync(asIs, at.session.home, { recursive: true });
      before = at.requests.length;
    });
    afterAll(async () => {
      rmSync(asIs, { recursive: true, force: true });
      await at.fake.close();
      at.close();
    });

    it("is known to be damaged, whatever a power cut left of it", async () => {
      const agent = one.agent === "codex" ? codex : claude;
      const file = sessionFile(at);
      const home = file.slice(0, file.search(/\/(?:projects|sessions)\//));
      const lines = readFileSync(file, "utf8").trim().split("\n");
      expect(await agent.hasSession(home, session)).toBe(true);
      for (const [what, damage] of DAMAGES) {
        writeFileSync(file, damage(lines));
        expect(await agent.hasSession(home, session), what).toBe(false);
      }
    });

    it("begins anew when it is gone", async () => {
      rmSync(sessionFile(at));
      const result = await answerGate(at.session, { run, value: "deny", inputs: {} });
      const events = eventsOf(result);
      expect(result).toMatchObject({ status: "completed" });
      expect(told(events, "warning").map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^The session \S+ is not there any more, or is damaged: the agent begins anew/),
      );
      const [request, ...more] = at.requests.slice(before);
      expect(more).toEqual([]);
      expect(request?.prompt).toContain("Write the poem.");
      expect(JSON.stringify(request?.messages)).not.toContain("You were interrupted");
    });

    it("goes on when only its last line is cut", async () => {
      const file = sessionFile(at);
      writeFileSync(file, readFileSync(file, "utf8").trim().slice(0, -5));
      const result = await answerGate(at.session, { run, value: "deny", inputs: {} });
      const events = eventsOf(result);
      expect(result).toMatchObject({ status: "completed" });
      expect(told(events, "agent_session").at(-1)).toMatchObject({ resumed: true });
      expect(at.requests[before]?.prompt).toContain("You were interrupted");
    });
  });
