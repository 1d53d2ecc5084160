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
  expect(text).toContain("\n  a: 2 runs, 0 failed; half within ");
  expect(await segno.call("run_stats", { file: "nonexistent.yaml" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("cannot read "),
  });
  expect((await segno.call("run_stats", { inputs: { n: "2" }, status: "completed" })).object.workflows).toMatchObject([
    { runs: 1 },
  ]);
  expect((await segno.call("run_stats", { file: "../elsewhere.yaml" })).isError).toBe(true);
  expect((await segno.call("run_stats", { status: "failed" })).text).toBe("No run has ended in that time.");
});

it("says in text when each event was, and of which kind", async () => {
  segno.write(
    "bad.yaml",
    "workflow: { name: bad, entry_point: a }\nsteps: [{ name: a, type: script, command: no-such-program }]\n",
  );
  const ran = await segno.call("workflow_run", { file: "bad.yaml" });
  const { text } = await segno.call("run_events", { run_id: ran.object.run_id });
  expect(text).toMatch(/^\d+ \d{4}-\S+Z a error_raised kind: internal\.command_not_found; message: /m);
});

it("says in text what no scenario takes", async () => {
  segno.write(
    "plays.scenario.yaml",
    "workflow: flow.yaml\ninputs: { n: 1 }\nexpected_trace: { agents_executed: [a] }\n",
  );
  const { text } = await segno.call("workflow_test", { coverage: true });
  expect(text).toMatch(/flow\.yaml: taken 1 of 1 steps, .*error routes$/m);
  expect(text).toContain("There are no error routes.");
});

it("gives the schema of scenarios, and the pages of the documentation by name", async () => {
  expect(JSON.stringify((await segno.call("schema_get", { of: "scenario" })).object)).toContain("agent_scripts");
  const { contents } = await segno.client.readResource({ uri: "segno://docs" });
  expect((contents[0] as { text: string }).text).toContain("segno://docs/agents");
  const { resources } = await segno.client.listResources();
  const names = resources.map(({ name }) => name);
  expect(names).toHaveLength(new Set(names).size);
});
