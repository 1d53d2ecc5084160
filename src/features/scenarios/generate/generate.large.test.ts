import { expect, it } from "vitest";
import { Playground } from "../../../../test/support/play.ts";
import { listErrors } from "../../../services/workflows/describe.ts";
import { generateScenarios } from "../generate-scenarios.ts";
import { testScenarios } from "../test.ts";

/** How often; each more makes the ways through the file three times as many. */
const TIMES = 10;

/** Work, review, gate, again and again; each may go on, go back or go to a fix. */
function large(): string {
  const steps = Array.from({ length: TIMES }, (_, i) => {
    const next = i < TIMES - 1 ? `work${i + 1}` : "last";
    return `  - { name: work${i}, type: script, command: tool, raises: [tool.busy, tool.broken], routes: [{ to: review${i}, when: "exit_code == 0 and ok" }, { to: fix }, { on_error: tool.busy, retry: { max: 2 } }, { on_error: true, to: fix }] }
  - { name: review${i}, prompt: "{{ work${i}.output.report }}", output: { verdict: { type: string, enum: [good, bad] }, score: { type: number } }, routes: [{ to: gate${i}, when: "verdict == 'good' and score > 5" }, { to: work${i} }, { on_error: true, to: fix }] }
  - { name: gate${i}, type: human_gate, prompt: go on?, options: [{ label: Yes, value: "y", route: ${next} }, { label: Fix, value: fix, route: fix }] }`;
  });
  return `workflow: { name: large, entry_point: work0, runtime: { provider: claude }, limits: { max_iterations: 300 } }
agents:
${steps.join("\n")}
  - { name: last, type: human_gate, prompt: done?, options: [{ label: Yes, value: "y", route: $end }] }
  - { name: fix, type: script, command: fix, routes: [{ to: $end }, { on_error: internal.script_error, to: $end }] }
`;
}

it("finds a way to every error route of many steps and gates, and every generated scenario passes", async () => {
  const ground = new Playground();
  try {
    ground.write({ "large.yaml": large() });
    expect(listErrors(ground.session, { file: "large.yaml" }).steps).toHaveLength(3 * TIMES + 2);
    const { generated, skipped } = await generateScenarios(ground.session, { file: "large.yaml", paths: [] });
    expect([generated.length, skipped]).toEqual([3 * TIMES + 1, 0]);
    const answer = await testScenarios(ground.session, { paths: ["tests"], minErrorCoverage: 100 });
    expect(answer).toMatchObject({ success: true, passed: 3 * TIMES + 1, failed: 0 });
  } finally {
    ground.close();
  }
});
