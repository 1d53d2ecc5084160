// The template `fix-test` as a user gets it, with real coding agents: red tests, a fix in the sandbox, green tests.
import { join } from "node:path";
import { expect, it } from "vitest";
import type { FakeCall } from "../../../../test/fakes/index.ts";
import { codingPlayground, describeAcpAgent, describeAgent, hasSandbox, type Play, told } from "./workshop.ts";

const play = codingPlayground();

const PROJECT = {
  "fix/package.json": JSON.stringify({ scripts: { test: "node --test" } }),
  "fix/sum.mjs": "export const sum = (numbers) => numbers.reduce((a, b) => a - b, 0);\n",
  "fix/sum.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { sum } from "./sum.mjs";
test("adds up", () => assert.equal(sum([1, 2, 3]), 6));
`,
};
const FIXED = "export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);\n";

async function fixedBy(edits: Play, edit: (file: string) => string = (file) => file): Promise<void> {
  const at = play();
  await at.segno("init", "fix", "--template", "fix-test");
  at.write({ ...PROJECT, "fix/fix-test.yaml": edit(at.read("fix/fix-test.yaml")) });
  at.play = edits;
  const { result, events } = await at.run("fix/fix-test.yaml");
  expect(result).toMatchObject({ status: "completed", output: { fixed: "It adds now." } });
  expect(at.read("fix/sum.mjs")).toBe(FIXED);
  expect(told(events, "error_raised").map(({ error }) => error.kind)).toEqual(["tests.red"]);
  expect(at.requests.some(({ prompt }) => prompt.includes("-6 !== 6"))).toBe(true);
  const [fixed] = told(events, "agent_completed").filter(({ agent_name }) => agent_name === "fix");
  expect(fixed?.changes?.files).toMatchObject([{ path: "sum.mjs", change: "modified" }]);
}

describeAgent("claude-agent-sdk", "in the template fix-test", () => {
  it.skipIf(!hasSandbox)("turns red tests green", async () => {
    const file_path = join(play().folder, "fix/sum.mjs");
    const calls = [
      { tools: [{ name: "Read", input: { file_path } }] },
      { tools: [{ name: "Edit", input: { file_path, old_string: "a - b", new_string: "a + b" } }] },
      { json: { answer_or_error: { summary: "It adds now." } } },
    ];
    await fixedBy(({ index }) => calls[index] ?? "done");
  });
});

// Of those that speak ACP the one that starts quickest.
describeAcpAgent("goose", "in the template fix-test", () => {
  it("turns red tests green", async () => {
    const path = join(play().folder, "fix/sum.mjs");
    const calls: readonly FakeCall[] = [
      { name: "shell", input: { command: `cat ${path}` } },
      { name: "write", input: { path, content: FIXED } },
      { name: "submit", input: { answer_or_error: { summary: "It adds now." } } },
    ];
    const edits: Play = ({ tools, results }) => {
      const call = calls[results.length];
      if (tools.length === 0 || !call) return "ok";
      const name = call.name === "submit" ? tools.find((tool) => tool.name.endsWith("submit"))?.name : call.name;
      return { tools: [{ ...call, name: name ?? call.name }] };
    };
    const byGoose = (file: string): string =>
      file
        .replace("name: claude-agent-sdk,", "name: acp, agent: goose, price: 0.1,")
        .replace("default_model: claude", "default_model: anthropic/claude");
    await fixedBy(edits, byGoose);
  });
});
