// The example for coding agents, for real: red tests, an agent in its sandbox, green tests.
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, hasSandbox, told } from "./workshop.ts";

const play = codingPlayground();

describeAgent("claude-agent-sdk", "in examples/fix-test.yaml", () => {
  it.skipIf(!hasSandbox)("reads what failed, fixes it at the second try, and is shown to have done so", async () => {
    const at = play();
    cpSync("examples", at.folder, { recursive: true });
    const project = join(at.folder, "fix-test/project");
    const edit = (old_string: string, new_string: string) => ({
      tools: [{ name: "Edit", input: { file_path: join(project, "sum.mjs"), old_string, new_string } }],
    });
    const read = { tools: [{ name: "Read", input: { file_path: join(project, "sum.mjs") } }] };
    const calls = [
      read,
      edit("total - number", "total * number"),
      { json: { answer_or_error: { summary: "It multiplied." } } },
      read,
      edit("total * number", "total + number"),
      { tools: [{ name: "Bash", input: { command: "node --test", description: "run the tests" } }] },
      { json: { answer_or_error: { summary: "It adds now." } } },
    ];
    at.play = ({ index }) => calls[index] ?? "done";
    const { result, events } = await at.run("fix-test.yaml");
    expect(result).toMatchObject({ status: "completed", output: { tests: "green" } });
    expect(readFileSync(join(project, "sum.mjs"), "utf8")).toContain("total + number");
    expect(told(events, "error_raised").map(({ error }) => error.kind)).toEqual(["tests.red", "tests.red"]);
    expect(at.requests[0]?.prompt).toContain("adds up");
    const fixed = told(events, "agent_completed").filter(({ agent_name }) => agent_name === "fix");
    expect(fixed.map(({ output }) => output)).toMatchObject([
      {
        summary: "It multiplied.",
        changes: { files: [{ path: "sum.mjs", change: "modified", added: 1, removed: 1 }] },
      },
      { summary: "It adds now.", changes: { added: 1, removed: 1 } },
    ]);
    expect(String(told(events, "agent_tool_complete").at(-1)?.result)).toContain("pass 2");
  });
});
