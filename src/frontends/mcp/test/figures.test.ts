// Names and figures of runs, as a coding agent gets them.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Connected, connect } from "./client.ts";

let segno: Connected;
beforeAll(async () => {
  segno = await connect("stdio");
  segno.write(
    "flow.yaml",
    "workflow: { name: flow, entry_point: a, input: { n: { type: number } } }\nsteps: [{ name: a, type: set, value: 1 }]\n",
  );
  await segno.call("workflow_run", { file: "flow.yaml", inputs: { n: 1 }, name: "by an agent" });
  await segno.call("workflow_run", { file: "flow.yaml", inputs: { n: 2 } });
});
afterAll(() => segno.close());

it("lists runs by name and input", async () => {
  const all = await segno.call("run_list");
  expect(all.object.runs).toMatchObject([{ name: null }, { name: "by an agent" }]);
  expect(all.text).toContain('flow "by an agent" completed');
  const { object } = await segno.call("run_list", { inputs: { n: "1" } });
  expect(object.runs).toMatchObject([{ name: "by an agent" }]);
});

it("says how runs ended", async () => {
  const { object, text } = await segno.call("run_stats", { file: "flow.yaml" });
  expect(object.workflows).toMatchObject([
    { workflow: "flow", file: "flow.yaml", runs: 2, completed: 2, steps: [{ step: "a", runs: 2 }] },
  ]);
  expect(text).toMatch(/^flow: 2 runs, 2 completed, 0 failed; half within /);
  expect((await segno.call("run_stats", { inputs: { n: "2" }, status: "completed" })).object.workflows).toMatchObject([
    { runs: 1 },
  ]);
  expect((await segno.call("run_stats", { file: "../elsewhere.yaml" })).isError).toBe(true);
  expect((await segno.call("run_stats", { status: "failed" })).text).toBe("No run has ended in that time.");
});
