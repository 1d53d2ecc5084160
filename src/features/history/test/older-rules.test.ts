// Runs of 0.3 against today's rules: a script that failed unseen then raises now, and it is said how to allow its code.
import { afterEach, beforeEach, expect, it } from "vitest";
import { runAsIn03 } from "../../../../test/support/older-run.ts";
import { Playground } from "../../../../test/support/play.ts";
import { backtest } from "../backtest.ts";
import { recordScenario } from "../record.ts";

const FLOW = `workflow: { name: w, entry_point: a }
steps:
  - { name: a, type: script, command: sh, args: [-c, "exit 3"], routes: [{ to: b }] }
  - { name: b, type: set, value: done }
`;

let ground: Playground;
beforeEach(async () => {
  ground = new Playground();
  ground.write({ "w.yaml": FLOW });
});
afterEach(() => ground.close());

it("backtest calls such a run worse, and names ok_exit_codes", async () => {
  expect((await runAsIn03(ground, "w.yaml")).result.status).toBe("completed");
  const { runs } = await backtest(ground.session, { file: "w.yaml" });
  expect(runs).toMatchObject([{ verdict: "worse", step: "a", hint: expect.stringContaining("ok_exit_codes") }]);
  ground.write({ "w.yaml": FLOW.replace("command: sh", "command: sh, ok_exit_codes: [0, 3]") });
  expect((await backtest(ground.session, { file: "w.yaml" })).runs).toMatchObject([{ verdict: "same" }]);
});

it("a recording of it does not pass, and says why", async () => {
  const { result } = await runAsIn03(ground, "w.yaml");
  const answer = await recordScenario(ground.session, { run: result.run_id ?? "", to: "tests/one.scenario.yaml" });
  expect(answer).toMatchObject({
    passed: false,
    problems: expect.arrayContaining([expect.stringContaining("ok_exit_codes")]),
  });
});

it("an unchanged file gives the same for runs of today", async () => {
  await ground.run("w.yaml");
  expect((await backtest(ground.session, { file: "w.yaml" })).runs).toMatchObject([{ verdict: "same" }]);
});
