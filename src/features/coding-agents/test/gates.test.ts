// What an agent may not do by itself becomes a gate: a person answers, at once or days later. That it goes on with a yes,
// permission-told.test.ts tries; --skip-gates, copilot-stand-in.test.ts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { RunEvent } from "../../../base/events/registry.ts";
import { answerGate, listGates } from "../../../services/gates/gates.ts";
import { type AgentName, codingPlayground, describeAgent, inTurn, told } from "./workshop.ts";

const play = codingPlayground();

const fileFor = (agent: AgentName, model: string): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: { name: ${agent}, ask: gate }, default_model: ${model}, working_dir: work }
agents:
  - { name: fix, prompt: Write it. }
`;
const file = fileFor("claude-agent-sdk", "claude-sonnet-4-5");

const write = (path: string) => ({ tools: [{ name: "Write", input: { file_path: path, content: "x\n" } }] });

describeAgent("claude-agent-sdk", "that asks for permission", () => {
  it("asks again when it wants to write something else than what was allowed", async () => {
    const at = play();
    const beside = join(at.folder, "beside.txt");
    const writes = (content: string) => ({ tools: [{ name: "Write", input: { file_path: beside, content } }] });
    at.play = ({ index }) => [writes("harmless"), writes("harmful")][index] ?? "done";
    at.write({ "main.yaml": file });
    const { result, events } = await at.run("main.yaml");
    expect(told(events, "gate_presented")[0]?.prompt).toContain("content: harmless");
    const answered = await answerGate(at.session, { run: result.run_id ?? "", value: "allow", inputs: {} });
    expect([answered.status, existsSync(beside)]).toEqual(["paused", false]);
    expect((await listGates(at.session)).gates).toMatchObject([
      { prompt: expect.stringContaining("content: harmful") },
    ]);
  });

  it("takes one answer when two people give one at the same time", async () => {
    const at = play();
    const beside = join(at.folder, "beside.txt");
    at.play = ({ index }) => (index < 2 ? write(beside) : "done");
    at.write({ "main.yaml": file });
    const { result } = await at.run("main.yaml");
    const answer = (value: string) =>
      answerGate(at.session, { run: result.run_id ?? "", value, inputs: {} }).catch((error: unknown) => error);
    const answers = await Promise.all([answer("deny"), answer("allow"), answer("deny")]);
    const late = await answer("allow");
    const lines = readFileSync(result.artifacts?.events_jsonl ?? "", "utf8")
      .trim()
      .split("\n");
    const taken = told(
      lines.map((line) => JSON.parse(line) as RunEvent),
      "gate_resolved",
    );
    expect(taken).toHaveLength(1);
    expect(existsSync(beside)).toBe(taken[0]?.selected_option === "allow");
    expect(answers.filter((one) => (one as { status?: string }).status === "completed")).toHaveLength(1);
    expect(late).not.toMatchObject({ status: "completed", success: true });
  });

  it("is heard at once by a person who is there", async () => {
    const at = play();
    const beside = join(at.folder, "beside.txt");
    at.play = inTurn(write(beside), "done");
    at.write({ "main.yaml": file });
    const { result } = await at.run("main.yaml", {
      ask: async () => ({ kind: "gate", value: "allow", additional_input: {}, by: "terminal" }),
    });
    expect([result.status, existsSync(beside)]).toEqual(["completed", true]);
  });
});

describeAgent("codex", "that asks for permission", () => {
  const escalated = (cmd: string, justification = "May I?") => ({
    tools: [{ name: "exec_command", input: { cmd, sandbox_permissions: "require_escalated", justification } }],
  });

  it("pauses the run, and goes on in its session when the answer is no", async () => {
    const at = play();
    const beside = join(at.folder, "beside.txt");
    at.play = ({ index }) => (index < 2 ? escalated(`echo out > ${beside}`, `May I? ${index}`) : "done");
    at.write({ "main.yaml": fileFor("codex", "gpt-5") });
    const { result, events } = await at.run("main.yaml");
    expect(result).toMatchObject({ status: "paused" });
    expect(told(events, "gate_presented")).toMatchObject([
      { agent_name: "fix", prompt: expect.stringContaining(beside), options: [{ value: "deny" }, { value: "allow" }] },
    ]);
    expect(existsSync(beside)).toBe(false);

    const answered = await answerGate(at.session, { run: result.run_id ?? "", value: "deny", inputs: {} });
    expect(answered).toMatchObject({ status: "completed" });
    expect(existsSync(beside)).toBe(false);
    const resumed = at.requests[1];
    expect(resumed?.prompt).toContain("The answer is no.");
    expect(JSON.stringify(resumed?.messages)).toContain("Write it.");
  });
});
