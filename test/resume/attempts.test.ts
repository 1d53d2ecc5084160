// How often a step was tried, after resumes: to be asked again is no new try, to be run again is one.
import { expect, test } from "vitest";
import type { StepReport } from "../../src/base/results/result.ts";
import { explainRun } from "../../src/services/explain/index.ts";
import { answerGate } from "../../src/services/gates/gates.ts";
import { Workshop } from "./workshop.ts";

const ASKS = `
workflow: { name: child, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "Publish?", options: [{ value: yes, route: $end }] }
`;
const EACH = `
workflow: { name: each, entry_point: all }
agents: []
for_each:
  - { name: all, type: for_each, source: workflow.input.items, as: item, agent: { name: one, type: workflow, workflow: child.yaml } }
`;
const FLAKY = `
workflow: { name: flaky, entry_point: both }
agents:
  - { name: once, type: script, command: sh, args: [-c, "test -e tried || { touch tried; exit 3; }"], raises: [io.gone] }
  - { name: sub, type: workflow, workflow: child.yaml }
parallel:
  - { name: both, agents: [once, sub], max_concurrent: 1, failure_mode: fail_fast, routes: [{ on_error: true, retry: { max: 1, initial_seconds: 0 } }, { to: $end }] }
`;

const attemptsIn = (steps: readonly StepReport[] | undefined): readonly string[] =>
  (steps ?? []).flatMap((step) => [`${step.node_id} ${step.attempts}`, ...attemptsIn(step.steps)]);

test("a gate that paused and was answered later was tried once, and so was all that it stands in", async () => {
  const shop = new Workshop({ "main.yaml": EACH, "child.yaml": ASKS });
  const { result } = await shop.run("main.yaml", { inputs: { items: { value: [1, 2] } } });
  const run = result.run_id ?? "";
  await shop.resume(run);
  const answer = (gate: string) => answerGate(shop.session, { run, gate, value: "yes", inputs: {} });
  await answer("all[0]/ask");
  const ended = await answer("all[1]/ask");
  expect(ended).toMatchObject({ status: "completed" });
  expect(attemptsIn(ended.execution?.steps)).toEqual(["all 1", "one 1", "ask 1", "one 1", "ask 1"]);
  const { chapters } = await explainRun(shop.session, { run });
  expect(chapters.flatMap(({ scenes }) => scenes.map((scene) => "attempts" in scene && scene.attempts))).toEqual([
    1, 1, 1, 1,
  ]);
});

test("what was tried again before the pause still counts", async () => {
  const shop = new Workshop({ "main.yaml": FLAKY, "child.yaml": ASKS });
  const { result } = await shop.run("main.yaml");
  const ended = await answerGate(shop.session, { run: result.run_id ?? "", value: "yes", inputs: {} });
  expect(ended).toMatchObject({ status: "completed" });
  expect(attemptsIn(ended.execution?.steps)).toEqual(["both 2", "once 2", "sub 1", "ask 1"]);
});
