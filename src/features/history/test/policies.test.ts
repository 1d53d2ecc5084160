// Runs with policies are played again with the verdicts of then: no module is loaded, whatever it would say now.
import { afterEach, expect, it } from "vitest";
import { Playground } from "../../../../test/support/play.ts";
import { openFile } from "../../../storage/sqlite/open.ts";
import { loadScenario } from "../../scenarios/file.ts";
import { testScenarios } from "../../scenarios/test.ts";
import { backtest } from "../backtest.ts";
import { recordScenario } from "../record.ts";

const grounds: Playground[] = [];
afterEach(() => {
  for (const ground of grounds.splice(0)) ground.close();
});

/** Each question to the module is a line of `asked`; it denies the questions whose number `denied` names. */
const GUARD = `import { appendFileSync, readFileSync } from "node:fs";
const file = (name) => new URL("./" + name, import.meta.url);
appendFileSync(file("loaded"), "x");
export default { name: "guard", description: "", evaluate({ step }) {
  appendFileSync(file("asked"), step.name + "\\n");
  const count = readFileSync(file("asked"), "utf8").split("\\n").length - 1;
  return { allowed: !readFileSync(file("denied"), "utf8").split(" ").includes(String(count)), policyName: "guard", reason: "number " + count, metadata: { count } };
} };
`;

const FLOW = `workflow: { name: flow, entry_point: call, limits: { max_iterations: 50 }, policies: [{ module: ./guard.mjs }, { task_timeout: 60 }] }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: each }, { on_error: policy.denied, to: each }] }
  - { name: note, type: set, values: { done: "{{ each.outputs | default([]) | length }}", lost: "{{ each.errors | default([]) | length }}" } }
for_each:
  - name: each
    type: for_each
    source: "{{ range(5) | list }}"
    as: n
    max_concurrent: 3
    failure_mode: continue_on_error
    agent: { name: work, type: script, command: sh, args: [-c, "sleep 0.0$(( {{ n }} % 3 )); echo {{ n }}"], timeout: 30 }
    routes: [{ to: note }, { on_error: policy.denied, to: note }]
output: { done: "{{ note.output.done }}", lost: "{{ note.output.lost }}" }
`;
const CHILD = "workflow: { name: child, entry_point: inner }\nagents: [{ name: inner, type: set, value: 1 }]\n";

async function ran(denied: string, more: Readonly<Record<string, string>> = {}) {
  const ground = new Playground();
  grounds.push(ground);
  ground.write({ "flow.yaml": FLOW, "child.yaml": CHILD, "guard.mjs": GUARD, denied, asked: "", ...more });
  const { result } = await ground.run("flow.yaml");
  ground.write({ asked: "", loaded: "", denied: "1 2 3 4 5 6 7 8 9" });
  const played = async () => {
    const { runs, error } = await backtest(ground.session, { file: "flow.yaml" });
    expect([error, ground.read("loaded")]).toEqual([null, ""]);
    return runs[0];
  };
  const recorded = async () => {
    const made = await recordScenario(ground.session, { run: result.run_id ?? "", to: "tests/one.scenario.yaml" });
    expect([made.error, made.problems, made.passed]).toEqual([null, [], true]);
    expect(await testScenarios(ground.session, { paths: ["tests"] })).toMatchObject({ passed: 1, failed: 0 });
    expect(ground.read("loaded")).toBe("");
    return loadScenario("tests/one.scenario.yaml", ground.folder).scenario;
  };
  return { ground, result, played, recorded };
}

it("a run with a policy that always allows is the same again, and its scenario says nothing of policies", async () => {
  const { result, played, recorded } = await ran("");
  expect(result).toMatchObject({ status: "completed", output: { done: 5 } });
  expect(await played()).toMatchObject({ verdict: "same" });
  expect((await recorded()).policies).toEqual({});
});

it("a denied item, a denied sub-workflow and a denied group come out as they did", async () => {
  const item = await ran("5");
  expect(item.result).toMatchObject({ status: "degraded" });
  expect(await item.played()).toMatchObject({ verdict: "same" });
  const { policies } = await item.recorded();
  expect(Object.values(policies)).toEqual([
    { allowed: false, policy: "guard", reason: "number 5", metadata: { count: 5 } },
  ]);
  expect(Object.keys(policies)[0]).toMatch(/^each\[\d\]$/);

  const call = await ran("1");
  expect(call.result).toMatchObject({ status: "completed", warnings: [{ kind: "policy.denied" }] });
  expect(await call.played()).toMatchObject({ verdict: "same" });
  expect((await call.recorded()).policies).toMatchObject({ call: { allowed: false } });

  const group = await ran("3");
  expect(group.result).toMatchObject({
    status: "completed",
    warnings: [{ kind: "policy.denied", recovered_by: "note" }],
  });
  expect(await group.played()).toMatchObject({ verdict: "same" });
  expect((await group.recorded()).policies).toMatchObject({ each: { allowed: false } });
});

it("a step that was denied once and allowed by a retry is a list of verdicts", async () => {
  const flow = `workflow: { name: flow, entry_point: deploy, policies: [{ module: ./guard.mjs }] }
agents:
  - { name: deploy, type: script, command: echo, args: [done], routes: [{ to: $end }, { on_error: policy.denied, retry: { max: 2, initial_seconds: 0.01 } }] }
`;
  const { played, recorded, result } = await ran("1", { "flow.yaml": flow });
  expect(result.status).toBe("completed");
  expect(await played()).toMatchObject({ verdict: "same" });
  expect((await recorded()).policies).toMatchObject({ deploy: [{ allowed: false }, { allowed: true }] });
});

it("Segno's own policies judge the edited file anew, and a module's verdict on something else is not known", async () => {
  const { ground, played } = await ran("");
  ground.write({ "flow.yaml": FLOW.replace("task_timeout: 60", "task_timeout: 20") });
  expect(await played()).toMatchObject({ verdict: "output", fields: ["done", "lost"] });
  ground.write({
    "flow.yaml": FLOW.replace("{ to: note }", "{ to: more }").replace(
      "  - { name: note",
      "  - { name: more, type: set, value: 1, routes: [{ to: note }] }\n  - { name: note",
    ),
  });
  expect(await played()).toMatchObject({
    verdict: "unknown",
    step: "more",
    why: "what the policy ./guard.mjs says of more was not recorded",
  });
});

it("a run of release 0.3 is unknown: its verdicts were not recorded with their attempts", async () => {
  const { ground, result, played } = await ran("");
  const db = openFile(`${ground.folder}/.home/runs/${result.run_id}/journal.db`, { busyMs: 1000 });
  db.exec(`update batches set data = replace(data, '"attempt":1,"allowed"', '"allowed"')`);
  db.close();
  expect(await played()).toMatchObject({ verdict: "unknown", why: expect.stringContaining("a policy (./guard.mjs)") });
});
