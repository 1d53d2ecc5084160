// Looking at a run without naming it: the newest of a file below the working directory.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { traceRun } from "../../src/features/telemetry/trace/index.ts";
import { explainRun } from "../../src/services/explain/index.ts";
import { runEvents, showRun } from "../../src/services/runs/runs.ts";
import { Playground } from "../support/play.ts";

const FLOW = "workflow: { name: w, entry_point: a }\nagents:\n  - { name: a, type: set, value: 1 }\n";

test("show, explain, trace and events take the newest of this folder, not of another", async () => {
  const ground = new Folders();
  await ground.run("here/main.yaml");
  const here = (await ground.run("here/deeper/main.yaml")).result.run_id;
  await ground.run("there/main.yaml");
  const standing = { ...ground.session, cwd: join(ground.folder, "here") };
  expect((await showRun(standing, {})).run_id).toBe(here);
  expect((await explainRun(standing, {})).run?.run_id).toBe(here);
  expect((await traceRun(standing, {})).run_id).toBe(here);
  for await (const event of runEvents(standing, {})) expect(event.run_id).toBe(here);
});

test("where none is, the newest elsewhere is named, and nothing of it is shown", async () => {
  const ground = new Folders();
  const standing = { ...ground.session, cwd: join(ground.folder, "here") };
  expect(await showRun(standing, {})).toMatchObject({ exit_code: 2, error: "there is no run yet" });
  const there = (await ground.run("there/main.yaml")).result.run_id ?? "";
  const shown = await showRun(standing, {});
  expect(shown).toMatchObject({ exit_code: 2, run_id: null, error: expect.stringContaining(there) });
});

class Folders extends Playground {
  constructor() {
    super();
    onTestFinished(() => this.close());
    this.write({ "here/main.yaml": FLOW, "here/deeper/main.yaml": FLOW, "there/main.yaml": FLOW });
  }
}
