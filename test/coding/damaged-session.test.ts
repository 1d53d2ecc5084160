// What a power cut leaves of an agent's session: the agent begins anew at the first resume, with its whole task, and says so.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { RunEvent } from "../../src/events/registry.ts";
import type { Result } from "../../src/results/index.ts";
import { answerGate } from "../../src/services/gates.ts";
import { type CodingPlayground, codingPlayground, describeAgent, oneStep, REAL_AGENTS, told } from "./workshop.ts";

const play = codingPlayground();

/** The file in which the agent keeps its session. */
function sessionFile({ surroundings: { home } }: CodingPlayground): string {
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
    const interrupted = async () => {
      const at = play();
      // It pauses to ask, and its process ends in the middle of the work.
      const write = { name: "Write", input: { file_path: join(at.folder, "beside.txt"), content: "x" } };
      const { name, input } = one.agent === "codex" ? one.command("echo x") : write;
      const more = one.agent === "codex" ? { sandbox_permissions: "require_escalated", justification: "May I?" } : {};
      at.play = () => ({ tools: [{ name, input: { ...(input as object), ...more } }] });
      at.write({ "main.yaml": oneStep(one, "prompt: Write the poem., ask: gate") });
      const { result } = await at.run("main.yaml");
      expect(result).toMatchObject({ status: "paused" });
      at.play = () => "done";
      return { at, run: result.run_id ?? "", before: at.requests.length };
    };

    it.each(DAMAGES)("begins anew when it %s", async (_, damage) => {
      const { at, run, before } = await interrupted();
      const file = sessionFile(at);
      writeFileSync(file, damage(readFileSync(file, "utf8").trim().split("\n")));
      const result = await answerGate({ ...at.surroundings, run, value: "deny", inputs: {} });
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
      const { at, run, before } = await interrupted();
      const file = sessionFile(at);
      writeFileSync(file, readFileSync(file, "utf8").trim().slice(0, -5));
      const result = await answerGate({ ...at.surroundings, run, value: "deny", inputs: {} });
      const events = eventsOf(result);
      expect(result).toMatchObject({ status: "completed" });
      expect(told(events, "agent_session").at(-1)).toMatchObject({ resumed: true });
      expect(at.requests[before]?.prompt).toContain("You were interrupted");
    });
  });
