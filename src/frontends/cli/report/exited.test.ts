// A script that fails and has not opted in counts as done; whoever looks sees its exit code all the same.
import picocolors from "picocolors";
import { expect, it } from "vitest";
import { play } from "../../../../test/support/play.ts";
import { lineOf } from "../live/event-line.ts";
import { stepLines } from "./steps.ts";

const colors = picocolors.createColors(false);

async function said(script: string): Promise<readonly string[]> {
  const { result, events } = await play(
    `workflow: { name: w, entry_point: a }\nagents:\n  - { name: a, type: script, command: sh, args: [-c, '${script}'] }\n`,
  );
  expect(result).toMatchObject({ exit_code: 0, status: "completed" });
  const progress = events.filter(({ type }) => type === "agent_completed").map((event) => lineOf(event));
  return [...progress.map((line) => JSON.stringify(line)), ...stepLines(result.execution?.steps ?? [], colors)];
}

it("is said while it runs and by show", async () => {
  const lines = await said("exit 7");
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/▲.*exited with 7/);
});

it("is not read from what the script prints", async () => {
  expect((await said('echo "{\\"exit_code\\": 7}"')).join()).not.toContain("exited");
});
