// Own step types are known wherever a file that uses them is read: not only when it is run.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { defineStep, explain, failed, openStore, raised, run, succeeded, test } from "../../../index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-own-steps-"));
  writeFileSync(
    join(folder, "w.yaml"),
    "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: own }]\noutput: { a: '{{ a.output }}' }\n",
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const own = (outcome: () => ReturnType<typeof succeeded> | ReturnType<typeof failed>) => [
  defineStep({ type: "own", description: "", schema: { type: "object" }, execute: outcome }),
];

it("explain plans the resume of a run that has own steps", async () => {
  const steps = own(() => failed(raised("own.bad", "no")));
  const options = { cwd: folder, env: {}, store: openStore(join(folder, "home")), steps };
  const { run_id } = await run("w.yaml", options);
  const { resume } = await explain(run_id ?? "", options);
  expect(resume?.refused).toEqual([]);
  expect(resume?.runs.map(({ node_id }) => node_id)).toEqual(["a"]);
});

it("test runs scenarios of a workflow that has own steps", async () => {
  writeFileSync(
    join(folder, "w.scenario.yaml"),
    "workflow: w.yaml\nexpected_trace: { status: completed, output_contains: { a: done } }\n",
  );
  const { scenarios } = await test("w.scenario.yaml", { cwd: folder, env: {}, steps: own(() => succeeded("done")) });
  expect(scenarios.map(({ problems }) => problems)).toEqual([[]]);
});
