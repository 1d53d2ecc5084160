// Every example, every way through it that a scenario knows: what was recorded is the same when it is played.
import { readdirSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { Playground } from "../../../../test/support/play.ts";
import { runWorkflow } from "../../../services/runs/run.ts";
import { loadScenario } from "../../scenarios/file.ts";
import { backtest } from "../backtest.ts";
import { recordScenario } from "../record.ts";

const ground = new Playground();
afterAll(() => ground.close());
const here = { ...ground.session, cwd: process.cwd() };

/** It makes a sub-workflow fail as a whole, which nothing outside does: no journal of a real run has that. */
const INJECTED = "package-on-package-corrupt-to-unfit.scenario.yaml";
const scenarios = readdirSync("examples/tests")
  .filter((name) => name !== INJECTED)
  .map((name) => `examples/tests/${name}`);

it.each(scenarios)("%s", async (scenario) => {
  const { workflow: file } = loadScenario(scenario, here.cwd);
  const run = await runWorkflow(here, { file, scenario, inputs: {} });
  const answer = await backtest(here, { file, runs: [run.run_id ?? ""] });
  expect(answer.runs).toMatchObject([{ verdict: "same" }]);
  const recorded = await recordScenario(here, { run: run.run_id ?? "", to: `${ground.folder}/recorded` });
  expect(recorded).toMatchObject({ passed: true, problems: [], error: null });
});
