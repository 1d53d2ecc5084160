// Figures of runs that happened, read from their rows.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Playground } from "../../../test/support/play.ts";
import { openFile } from "../../storage/sqlite/open.ts";
import { doctor } from "../doctor/index.ts";
import { cancelRun } from "./cancel.ts";
import { type StatsRequest, statsOfRuns } from "./stats.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

const stats = (request: StatsRequest = {}) => statsOfRuns(ground.session, request);

const FLOW = `
workflow: { name: flow, entry_point: load, input: { n: { type: number }, customer: { type: string, default: acme } } }
steps:
  - { name: load, type: set, value: "{{ workflow.input.n }}", routes: [{ to: each }] }
  - { name: deploy, type: workflow, workflow: child.yaml, input_mapping: { n: "{{ workflow.input.n }}" }, routes: [{ to: $end }] }
for_each:
  - name: each
    type: for_each
    source: "{{ [1, 2] }}"
    as: item
    agent: { name: item, type: script, command: "true" }
    routes: [{ to: deploy }]
`;
const CHILD = `
workflow: { name: child, entry_point: push, input: { n: { type: number } } }
steps:
  - name: push
    type: script
    command: sh
    args: [push.sh, "{{ workflow.input.n }}"]
    raises: [push.refused, push.late]
    routes: [{ to: $end }, { on_error: push.late, retry: { max: 1, initial_seconds: 0 } }]
`;
/** Refused for 2; late once for 3. */
const PUSH = `raise() { printf '{"kind": "%s", "message": "m"}' "$1" > "$SEGNO_ERROR_OUT"; exit 1; }
[ "$1" = 2 ] && [ ! -e mended ] && raise push.refused
[ "$1" = 3 ] && [ ! -e late ] && touch late && raise push.late
exit 0
`;

async function flows(...ns: readonly number[]): Promise<readonly string[]> {
  ground.write({ "flow.yaml": FLOW, "child.yaml": CHILD, "push.sh": PUSH });
  const ids: string[] = [];
  for (const n of ns) ids.push((await ground.run("flow.yaml", { inputs: { n: { value: n } } })).result.run_id ?? "");
  return ids;
}

it("says how runs ended, and the same of each step, with groups and sub-workflows before their steps", async () => {
  await flows(1, 2, 3);
  const { workflows, runs, more, without_steps } = await stats({ file: "flow.yaml" });
  expect({ runs, more, without_steps }).toEqual({ runs: 3, more: false, without_steps: 0 });
  expect(workflows).toMatchObject([
    {
      workflow: "flow",
      file: "flow.yaml",
      runs: 3,
      completed: 2,
      failed: 1,
      degraded: 0,
      cancelled: 0,
      resumed: 0,
      cost_usd: { p50: 0, p90: 0 },
      kinds: { "push.refused": 1, "push.late": 1 },
      steps: [
        { step: "load", runs: 3, failed: 0 },
        { step: "each", runs: 3, failed: 0 },
        { step: "each/item", runs: 3, failed: 0, kinds: {} },
        { step: "deploy", runs: 3, failed: 1, kinds: { "push.refused": 1 } },
        { step: "deploy/push", runs: 3, failed: 2, kinds: { "push.refused": 1, "push.late": 1 } },
      ],
    },
  ]);
  const [flow] = workflows;
  expect(flow?.seconds.p90).toBeGreaterThanOrEqual(flow?.seconds.p50 ?? Number.NaN);
  expect(flow?.seconds.p50).toBeGreaterThan(0);
});

it("counts a run that was resumed once, by its last end", async () => {
  const [failed = ""] = await flows(2);
  ground.write({ mended: "" });
  expect((await ground.resume(failed)).result.status).toBe("completed");
  const { workflows } = await stats();
  expect(workflows).toMatchObject([
    { runs: 1, completed: 1, failed: 0, resumed: 1, kinds: { "push.refused": 1 }, steps: expect.any(Array) },
  ]);
  expect(workflows[0]?.steps.find(({ step }) => step === "deploy/push")).toMatchObject({ runs: 1, failed: 1 });
});

it("counts what was cancelled, and not what waits or was only rehearsed", async () => {
  ground.write({
    "ask.yaml":
      "workflow: { name: ask, entry_point: q }\nsteps:\n  - { name: q, type: human_gate, prompt: Go?, options: [{ label: Yes, value: yes, route: $end }] }\n",
    "s.yaml": "workflow: ask.yaml\ngates: { q: [{ value: 'yes' }] }\n",
  });
  const { result } = await ground.run("ask.yaml");
  expect((await ground.run("ask.yaml", { scenario: "s.yaml" })).result.status).toBe("completed");
  expect((await stats()).workflows).toEqual([]);
  await cancelRun(ground.session, { run: result.run_id ?? "" });
  expect((await stats()).workflows).toMatchObject([{ workflow: "ask", runs: 1, cancelled: 1, completed: 0 }]);
});

it("filters by status, time and inputs, and says when older runs were left out", async () => {
  await flows(1, 1, 2);
  expect((await stats({ status: "failed" })).workflows).toMatchObject([{ runs: 1, failed: 1 }]);
  expect((await stats({ inputs: { n: "1" } })).workflows).toMatchObject([{ runs: 2, completed: 2 }]);
  expect((await stats({ inputs: { n: "1", customer: "other" } })).workflows).toEqual([]);
  expect((await stats({ until: "1h" })).workflows).toEqual([]);
  expect((await stats({ workflow: "other" })).workflows).toEqual([]);
  expect(await stats({ limit: 2 })).toMatchObject({ runs: 2, more: true });
  expect(await stats({ limit: 3 })).toMatchObject({ runs: 3, more: false });
});

it.each([
  [{ since: "soon" }, /"soon" is no time/],
  [{ status: "running" }, /"running" is none of completed, degraded, terminated, failed, cancelled/],
])("refuses %o", async (request, message) => {
  expect((await stats(request)).error).toMatch(message);
});

it("hides a secret of the environment in names of steps", async () => {
  const env = { ...ground.session.env, DEPLOY_TOKEN: "s3cret-s3cret" };
  ground.write({
    "w.yaml":
      "workflow: { name: w, entry_point: s3cret-s3cret }\nsteps: [{ name: s3cret-s3cret, type: set, value: 1 }]\n",
  });
  await ground.run("w.yaml", { env });
  expect(JSON.stringify(await statsOfRuns({ ...ground.session, env: {} }, {}))).not.toContain("s3cret");
});

it("counts runs of which only the index row is left, without steps, until the index is made anew", async () => {
  await flows(1, 2);
  const index = join(ground.session.home, "index.db");
  const connection = openFile(index, { busyMs: 1000 });
  connection.exec("DELETE FROM figures");
  connection.close();
  expect(await stats()).toMatchObject({
    runs: 2,
    without_steps: 2,
    workflows: [{ runs: 2, completed: 1, failed: 1, kinds: { "push.refused": 1 }, steps: [] }],
  });
  await doctor(ground.session, { reindex: true });
  expect(await stats()).toMatchObject({ runs: 2, without_steps: 0, workflows: [{ kinds: { "push.refused": 1 } }] });
  rmSync(index);
  await doctor(ground.session, { reindex: true });
  const { workflows } = await stats();
  expect(workflows[0]?.steps).toHaveLength(5);
});

it("refuses a file that is not there and has no run", async () => {
  await flows(1);
  expect(await stats({ file: "nonexistent.yaml" })).toMatchObject({
    success: false,
    errors: [{ message: "cannot read nonexistent.yaml: there is no such file, and no run of it" }],
  });
  rmSync(join(ground.folder, "flow.yaml"));
  expect((await stats({ file: "flow.yaml" })).workflows).toMatchObject([{ workflow: "flow" }]);
});
