// A run whose id was decided before, and whose maker was killed; one without a limit of iterations.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../storage/embedded/store.ts";
import { newRunId } from "../../storage/run-index.ts";
import { runWorkflow } from "./run.ts";

it("is listed again when it is driven, though its maker was killed before it was in the index", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-run-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const file = join(cwd, "w.yaml");
  writeFileSync(file, "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n");
  const home = join(cwd, "home");
  const runId = newRunId();
  const store = openStore(home, { version: "0" });
  onTestFinished(() => store.close());
  store.createRun({ runId, workflow: "w", file, durability: "process" }).release();
  store.state.runs.remove(runId);
  expect(store.runs()).toEqual([]);
  const env = { PATH: process.env.PATH, HOME: home };
  expect(await runWorkflow({ cwd, env, home }, { file, inputs: {}, runId })).toMatchObject({ status: "completed" });
  expect(store.runs()).toMatchObject([{ runId, status: "completed" }]);
});

it("has no limit of steps where the file says that there is none, and else a sentence on what may be written", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-run-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const run = (limit: string) => {
    writeFileSync(
      join(cwd, "w.yaml"),
      `workflow: { name: w, entry_point: a, limits: { max_iterations: ${limit} } }
agents: [{ name: a, type: set, value: 1, routes: [{ to: a, when: "{{ context.iteration < 40 }}" }, { to: $end }] }]
output: { n: "{{ context.iteration }}" }
`,
    );
    const env = { PATH: process.env.PATH, HOME: cwd };
    return runWorkflow({ cwd, env, home: join(cwd, "home") }, { file: "w.yaml", inputs: {} });
  };
  expect(await run("unlimited")).toMatchObject({ status: "completed", output: { n: 40 } });
  expect(await run("39")).toMatchObject({ status: "failed", errors: [{ error_type: "MaxIterationsError" }] });
  const { errors } = await run("200000");
  expect(errors[0]?.message).toContain("a whole number from 1 to 100000, or `unlimited`");
});
