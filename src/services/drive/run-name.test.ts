// What runs are called: by their file, by who starts them, or not at all.
import { afterEach, beforeEach, expect, it } from "vitest";
import { Playground } from "../../../test/support/play.ts";
import { resumeRun } from "../runs/resume.ts";
import { listRuns, showRun } from "../runs/runs.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

const flow = (runName: string): string =>
  `workflow: { name: flow, description: A flow., entry_point: a, run_name: ${JSON.stringify(runName)}, input: { date: { type: string, default: "2026-01-02" }, key: { type: string, secret: true, default: s3cret-of-mine } } }\nsteps:\n  - { name: a, type: set, value: 1 }\n`;

async function named(runName: string, more: object = {}) {
  ground.write({ "flow.yaml": flow(runName) });
  return (await ground.run("flow.yaml", more)).result;
}

const listed = async () => (await listRuns(ground.session, {})).runs.map(({ name }) => name);

it.each([
  ["nightly {{ workflow.input.date }}", "nightly 2026-01-02"],
  ["{{ workflow.name }}: {{ workflow.description }}", "flow: A flow."],
  ["  two\\n  lines\\t", "two lines"],
  ["x".repeat(300), `${"x".repeat(199)}…`],
  ["with {{ workflow.input.key }}", "with <redacted>"],
])("the name %j comes to %j", async (template, name) => {
  const result = await named(template.replaceAll("\\n", "\n").replaceAll("\\t", "\t"));
  expect(result.name).toBe(name);
  expect(await listed()).toEqual([name]);
});

it("is what the run was started with, also after a resume", async () => {
  const { run_id } = await named("nightly", { origin: { name: "by hand" } });
  expect(await listed()).toEqual(["by hand"]);
  await resumeRun(ground.session, { target: run_id ?? "", inputs: {} });
  expect((await showRun(ground.session, { run: run_id ?? "" })).name).toBe("by hand");
});

it.each([
  ["{{ a.output }}", /`run_name` \(flow\.yaml:1:77\) cannot be rendered, so the run has no name/],
  ["{{ 1 + }}", /`run_name` \(flow\.yaml:1:\d+\) cannot be rendered/],
  ["nightly {{ workflow.input.date.foo.bar }}", /`run_name` \(flow\.yaml:1:\d+\) cannot be rendered.*`?foo/],
  ["{{ '' }}", /`run_name` \(flow\.yaml:1:73\) comes to an empty text/],
])("a run whose file has the name %j runs without one, and says so", async (template, warning) => {
  const result = await named(template);
  expect(result).toMatchObject({ status: "completed", warnings: [{ message: expect.stringMatching(warning) }] });
  expect(result).not.toHaveProperty("name");
  expect(await listed()).toEqual([null]);
});

it.each([
  ["", "is empty"],
  ["two\nlines", "has more than one line"],
  ["\u001b[2Jclear", "has more than one line"],
  ["x".repeat(201), "has 201 characters"],
])("the name %j that a run is started with is refused", async (name, why) => {
  const result = await named("nightly", { origin: { name } });
  expect(result).toMatchObject({
    status: "invalid",
    errors: [{ message: `the name of the run ${why}`, hint: expect.stringContaining("--name") }],
  });
  expect(await listed()).toEqual([]);
});
