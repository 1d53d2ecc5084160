// What the other agents were denied is on record as well: Claude's own rules say no, Codex refuses to leave its sandbox.
import { join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, inTurn, oneStep, told } from "./workshop.ts";

const play = codingPlayground();

describeAgent("claude-agent-sdk", "that was denied something", () => {
  it("has it in denied, as a warning, and raises it where the step says so", async () => {
    const at = play();
    const beside = join(at.folder, "beside.txt");
    const real = { agent: "claude-agent-sdk", model: "claude-sonnet-4-5" } as const;
    at.play = inTurn({ tools: [{ name: "Write", input: { file_path: beside, content: "x" } }] }, "done");
    at.write({ "main.yaml": oneStep(real, "prompt: Go.") });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toEqual([]);
    const denied = [{ what: `change ${beside}`, by: "policy" }];
    expect(told(events, "agent_completed")[0]?.changes?.denied).toMatchObject(denied);
    expect(told(events, "warning").map(({ message }) => message)).toContainEqual(expect.stringContaining(beside));
    at.write({ "main.yaml": oneStep(real, "prompt: Go., on_denied: raise") });
    const raised = await at.run("main.yaml");
    expect(raised.result.errors).toMatchObject([
      { kind: "provider.denied", owner: "person", retryable: false, details: { denied } },
    ]);
  });
});

describeAgent("codex", "that was denied something", () => {
  it("has the command that it wanted to run outside of its sandbox in denied", async () => {
    const at = play();
    const input = { cmd: "echo hi", sandbox_permissions: "require_escalated", justification: "May I?" };
    at.play = inTurn({ tools: [{ name: "exec_command", input }] }, "done");
    at.write({ "main.yaml": oneStep({ agent: "codex", model: "gpt-5" }, "prompt: Go.") });
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toEqual([]);
    expect(told(events, "agent_completed")[0]?.changes?.denied).toMatchObject([
      { what: "run this command outside of its sandbox: echo hi", by: "policy" },
    ]);
  });
});
