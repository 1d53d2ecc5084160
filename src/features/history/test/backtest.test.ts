// Past runs against an edited file: what each edit would have done is known, and said.
import { rmSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { Playground } from "../../../../test/support/play.ts";
import { until } from "../../../../test/support/until.ts";
import type { Session } from "../../../services/session/session.ts";
import { openFile } from "../../../storage/sqlite/open.ts";
import { type BacktestAnswer, type BacktestRequest, backtest } from "../backtest.ts";
import { recordScenario } from "../record.ts";

const grounds: Playground[] = [];
afterEach(() => {
  for (const ground of grounds.splice(0)) ground.close();
});

function groundWith(files: Readonly<Record<string, string>>): Playground {
  const ground = new Playground();
  grounds.push(ground);
  ground.write(files);
  return ground;
}

const against = (ground: Playground, more: Partial<BacktestRequest & Session> = {}): Promise<BacktestAnswer> =>
  backtest({ ...ground.session, ...more }, { file: "flow.yaml", ...more });

const only = ({ runs, error, errors }: BacktestAnswer) => {
  expect([error, errors]).toEqual([null, []]);
  expect(runs).toHaveLength(1);
  return runs[0];
};

/** Fails as often as the file `times` says, then goes well. */
const FLAKY = `#!/bin/sh
echo x >> count
if [ "$(wc -l < count)" -le "$(cat times)" ]; then
  echo '{"kind":"registry.busy","message":"it is busy","details":{"n":1}}' > "$CONDUCTOR_ERROR_OUT"; exit 1
fi
echo '{"tag":"v1"}'
`;

const RELEASE = `workflow: { name: release, entry_point: build, limits: { max_iterations: 50 }, input: { who: { type: string, default: me } } }
agents:
  - { name: build, type: script, command: echo, args: ["{{ workflow.input.who }}"], routes: [{ to: publish }] }
  - name: publish
    type: script
    command: sh
    args: [flaky.sh]
    routes:
      - { to: note }
      - { on_error: registry.busy, retry: { max: 4, initial_seconds: 1 } }
  - { name: note, type: set, values: { tag: "{{ publish.output.tag }}" } }
output: { tag: "{{ note.output.tag }}" }
`;

async function released(failures: number, flow = RELEASE): Promise<Playground> {
  const ground = groundWith({ "flow.yaml": flow, "flaky.sh": FLAKY, times: String(failures) });
  await ground.run("flow.yaml", { extensions: { clock: instant } });
  return ground;
}

/** Waits pass at once. */
const instant = { now: () => Date.now(), sleep: async () => {}, after: (): (() => void) => () => {} };

describe("an unchanged file", () => {
  it.each([0, 3, 9])("is the same for a run whose step failed %i times", async (failures) => {
    const ground = await released(failures);
    expect(only(await against(ground))).toMatchObject({ verdict: "same", step: null });
  });

  it("runs nothing", async () => {
    const ground = await released(2);
    const before = ground.read("count");
    await against(ground);
    expect(ground.read("count")).toBe(before);
  });

  it("is the same with sub-workflows, groups, errors of items, and a run that was resumed", async () => {
    const ground = groundWith({
      "child.yaml": `workflow: { name: child, entry_point: work, input: { n: { type: number } } }
agents:
  - { name: work, type: script, command: sh, args: [work.sh, "{{ workflow.input.n }}"], raises: [item.bad] }
output: { twice: "{{ work.output.twice }}" }
`,
      "work.sh": `if [ "$1" = 3 ]; then echo '{"kind":"item.bad","message":"bad"}' > "$CONDUCTOR_ERROR_OUT"; exit 1; fi\necho "{\\"twice\\": $(($1 * 2))}"\n`,
      "last.sh": "test -e mended\n",
      "flow.yaml": `workflow: { name: w, entry_point: each, limits: { max_iterations: 90 }, input: { xs: { type: array, default: [1, 2, 3, 4] } } }
agents:
  - { name: last, type: script, command: sh, args: [last.sh], raises: [] }
for_each:
  - { name: each, type: for_each, source: workflow.input.xs, as: x, failure_mode: continue_on_error, max_concurrent: 3, agent: { name: item, type: workflow, workflow: child.yaml, input_mapping: { n: "{{ x }}" } }, routes: [{ to: last }] }
output: { n: "{{ each.outputs | length }}" }
`,
    });
    const { result } = await ground.run("flow.yaml");
    expect(result.status).toBe("failed");
    expect(only(await against(ground))).toMatchObject({ verdict: "same", was: "failed with internal.script_error" });
    ground.write({ mended: "" });
    expect((await ground.resume(result.run_id ?? "")).result.status).toBe("degraded");
    expect(only(await against(ground))).toMatchObject({ verdict: "same", was: expect.stringMatching(/^degraded/) });
  });

  it("is the same, and passes as a scenario, where a member that failed stopped the others", async () => {
    const ground = groundWith({
      "flow.yaml": `workflow: { name: w, entry_point: both }
agents:
  - { name: bad, type: script, command: sh, args: [-c, "until test -e begun; do sleep 0.01; done; exit 1"], raises: [] }
  - { name: long, type: script, command: sh, args: [-c, "touch begun; sleep 60"] }
parallel: [{ name: both, agents: [bad, long] }]
`,
    });
    const { result } = await ground.run("flow.yaml");
    expect(only(await against(ground))).toMatchObject({ verdict: "same", was: "failed with internal.script_error" });
    const request = { run: result.run_id ?? "", to: "tests/one.scenario.yaml" };
    expect(await recordScenario(ground.session, request)).toMatchObject({ error: null, passed: true });
  });

  it.each([
    ["a group", "parallel: [{ name: both, agents: [work, b], failure_mode: all_or_nothing, ROUTES }]"],
    ["a sub-workflow", "agents: [{ name: both, type: workflow, workflow: child.yaml, ROUTES }]"],
  ])(
    "is the same, and passes as a scenario, where %s failed after a retry and was retried again after a resume",
    async (_, both) => {
      const steps = `{ name: work, type: script, command: sh, args: [work.sh], raises: [app.no] }, { name: b, type: set, value: b }`;
      const ground = groundWith({
        "child.yaml": `workflow: { name: child, entry_point: work }\nagents: [${steps}]\n`,
        "work.sh": `echo x >> count; test "$(wc -l < count)" -ge 4 || echo '{"kind":"app.no","message":"no"}' > "$SEGNO_ERROR_OUT"\n`,
        "flow.yaml": `workflow: { name: w, entry_point: both }\n${both
          .replace("ROUTES", "routes: [{ to: $end }, { on_error: app.no, retry: { max: 1, initial_seconds: 0 } }]")
          .replace("parallel:", `agents: [${steps}]\nparallel:`)}\n`,
      });
      const { result } = await ground.run("flow.yaml");
      expect(result.status).toBe("failed");
      expect((await ground.resume(result.run_id ?? "")).result.status).toBe("completed");
      expect(only(await against(ground))).toMatchObject({ verdict: "same", was: "completed" });
      const request = { run: result.run_id ?? "", to: "tests/one.scenario.yaml" };
      expect(await recordScenario(ground.session, request)).toMatchObject({ error: null, passed: true });
    },
  );

  it("is the same for a gate that was answered, and for one that waits", async () => {
    const flow = `workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "Go on?", options: [{ label: "Yes", value: "yes", route: go }, { label: "No", value: "no", route: $end }] }
  - { name: go, type: set, value: gone }
output: { said: "{{ ask.output.selected }}" }
`;
    const ground = groundWith({ "flow.yaml": flow });
    await ground.run("flow.yaml");
    expect(only(await against(ground))).toMatchObject({ verdict: "same", was: "paused" });
    const answered = groundWith({ "flow.yaml": flow });
    await answered.run("flow.yaml", { ask: async () => ({ kind: "gate", value: "yes", additional_input: {} }) });
    expect(only(await against(answered))).toMatchObject({ verdict: "same", was: "completed" });
    answered.write({ "flow.yaml": flow.replace("label: Yes", "label: Sure") });
    answered.write({ "flow.yaml": flow.replace("route: go }", "route: $end }") });
    expect(only(await against(answered))).toMatchObject({ verdict: "rerouted", step: "ask" });
  });

  it("is the same for a run whose secrets were forgotten", async () => {
    const ground = groundWith({
      "flow.yaml": `workflow: { name: w, entry_point: a, input: { token: { type: string, secret: true } } }
agents: [{ name: a, type: script, command: echo, args: ["{{ workflow.input.token }}"] }]
output: { said: "{{ a.output.stdout | trim }}" }
`,
    });
    await ground.run("flow.yaml", { inputs: { token: { text: "s3cret-of-mine-1" } } });
    expect(only(await against(ground))).toMatchObject({ verdict: "same" });
  });
});

describe("an edit", () => {
  it("that allows fewer retries is worse, and its line is named", async () => {
    const ground = await released(3);
    ground.write({ "flow.yaml": RELEASE.replace("max: 4", "max: 2") });
    const answer = await against(ground, { failOn: "worse" });
    expect(answer).toMatchObject({ exit_code: 1, counts: { worse: 1, same: 0 } });
    expect(answer.runs[0]).toMatchObject({
      verdict: "worse",
      step: "publish",
      line: 10,
      change: "max 4 → 2",
      was: "completed",
      now: "failed with registry.busy",
      routes: { was: "retry", now: "unhandled" },
    });
  });

  it("that gives an error a route is better", async () => {
    const ground = await released(9, RELEASE.replace(/\n {6}- \{ on_error.*\}/, ""));
    ground.write({
      "flow.yaml": RELEASE.replace("retry: { max: 4, initial_seconds: 1 }", "to: fallback")
        .replace(
          "  - { name: note",
          "  - { name: fallback, type: set, values: { tag: none }, routes: [{ to: $end }] }\n  - { name: note",
        )
        .replace("{{ note.output.tag }}", "{{ note.output.tag if note is defined else 'none' }}"),
    });
    expect(only(await against(ground))).toMatchObject({
      verdict: "better",
      step: "publish",
      was: "failed with registry.busy",
      now: "completed",
      routes: { was: "unhandled", now: "to fallback" },
    });
  });

  it("that asks something new is unknown from there on", async () => {
    const ground = await released(0);
    ground.write({ "flow.yaml": RELEASE.replace("command: echo", "command: printf") });
    expect(only(await against(ground))).toMatchObject({
      verdict: "unknown",
      step: "build",
      line: 3,
      change: "command echo → printf",
      why: "build was changed, and asks something else than was recorded",
    });
    ground.write({ "flow.yaml": RELEASE.replace("args: [flaky.sh]", "args: [other.sh]\n    raises: [registry.busy]") });
    const { groups } = await against(ground);
    expect(groups).toMatchObject([
      {
        step: "publish",
        can_follow: expect.arrayContaining([{ kind: "registry.busy", then: "retry (line 11), then unhandled" }]),
      },
    ]);
  });

  it("that renames a step, or a field of the output, is another way or another output", async () => {
    const ground = await released(0);
    ground.write({ "flow.yaml": RELEASE.replaceAll("build", "make") });
    expect(only(await against(ground))).toMatchObject({ verdict: "rerouted" });
    ground.write({ "flow.yaml": RELEASE.replace("output: { tag:", "output: { version:") });
    expect(only(await against(ground))).toMatchObject({
      verdict: "output",
      fields: ["tag", "version"],
      step: null,
      line: 12,
      change: "version is new",
    });
    ground.write({ "flow.yaml": RELEASE.replace('values: { tag: "', 'values: { tag: "no. ') });
    expect(only(await against(ground))).toMatchObject({ verdict: "output", fields: ["tag"], step: "note", line: 11 });
  });

  it("that puts a route between others is named as that", async () => {
    const flow = RELEASE.replace(/\n {6}- \{ on_error.*\}/, "\n      - { on_error: other.kind, to: note }");
    const ground = await released(9, flow);
    ground.write({
      "flow.yaml": flow.replace("- { to: note }\n", "- { to: note }\n      - { on_error: registry.busy, to: $end }\n"),
    });
    expect(only(await against(ground))).toMatchObject({ step: "publish", line: 10, change: "a new entry in routes" });
  });

  it("that asks something new is one group, however the runs ended", async () => {
    const ground = await released(0);
    ground.write({ times: "90" });
    await ground.run("flow.yaml", { extensions: { clock: instant } });
    ground.write({ "flow.yaml": RELEASE.replace("command: echo", "command: printf") });
    const { runs, groups } = await against(ground);
    expect(runs.map(({ was, short = false }) => [was, short])).toEqual([
      ["failed with registry.busy", true],
      ["completed", false],
    ]);
    expect(groups).toMatchObject([{ verdict: "unknown", step: "build", count: 2 }]);
  });

  it("of what counts as an error is judged anew", async () => {
    const ground = await released(0);
    const rule = `raise_when: [{ when: "{{ output.tag == 'v1' }}", kind: tag.taken, message: taken }]\n    routes:`;
    ground.write({ "flow.yaml": RELEASE.replace("routes:\n      - { to: note }", `${rule}\n      - { to: note }`) });
    expect(only(await against(ground))).toMatchObject({ verdict: "worse", now: "failed with tag.taken" });
  });
});

const TIMED = `workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "ok?", timeout: 0.05, options: [{ label: "Yes", value: "yes", route: $end }, { label: "No", value: "no", route: $end }], routes: [{ on_error: gate.timeout, to: late }] }
  - { name: late, type: terminate, status: failed, reason: late }
`;

it("of a gate that timed out, and of one that may still be answered, is the same and can be recorded", async () => {
  const ground = groundWith({ "flow.yaml": TIMED.replace("timeout: 0.05", "timeout: 1h") });
  const waiting = await ground.run("flow.yaml");
  expect(waiting.result.status).toBe("paused");
  expect(only(await against(ground))).toMatchObject({ verdict: "same" });
  const record = (run: string | null) =>
    recordScenario(ground.session, { run: run ?? "", to: "tests/one.scenario.yaml" });
  expect(await record(waiting.result.run_id)).toMatchObject({ passed: true, error: null });
  const late = groundWith({ "flow.yaml": TIMED });
  const { result } = await late.run("flow.yaml");
  await until(async () => (await late.resume(result.run_id ?? "")).result.status === "terminated");
  expect(only(await against(late))).toMatchObject({ verdict: "same", was: "terminated as failed" });
  expect(await recordScenario(late.session, { run: result.run_id ?? "", to: "tests/one.scenario.yaml" })).toMatchObject(
    { passed: true, error: null },
  );
});

it("an error that now leads to a failed end is another way, not another output", async () => {
  const ground = await released(9, RELEASE.replace(/\n {6}- \{ on_error.*\}/, ""));
  ground.write({
    "flow.yaml": `${RELEASE.replace("retry: { max: 4, initial_seconds: 1 }", "to: stop").replace("  - { name: note", "  - { name: stop, type: terminate, status: failed, reason: busy }\n  - { name: note")}`,
  });
  expect(only(await against(ground))).toMatchObject({
    verdict: "rerouted",
    was: "failed with registry.busy",
    now: "terminated as failed",
  });
});

it("runs that a scenario answered do not count, unless they are named", async () => {
  const ground = groundWith({
    "flow.yaml": RELEASE,
    "s.scenario.yaml": "workflow: flow.yaml\ncli_scripts: [{ step: build }, { step: publish, stdout: { tag: v2 } }]\n",
  });
  const { result } = await ground.run("flow.yaml", { scenario: "s.scenario.yaml" });
  expect((await against(ground)).errors[0]?.message).toMatch(/^there are no runs/);
  expect(only(await against(ground, { runs: [result.run_id ?? ""] }))).toMatchObject({ verdict: "same" });
});

it("a run whose journal was damaged takes no other with it", async () => {
  const ground = await released(0);
  await ground.run("flow.yaml", { extensions: { clock: instant } });
  const bad = (await against(ground)).runs[0]?.run_id ?? "";
  const db = openFile(`${ground.folder}/.home/runs/${bad}/journal.db`, { busyMs: 1000 });
  db.exec("update batches set data = replace(data, '\"elapsed\"', '\"lapsed\"')");
  db.close();
  expect((await against(ground)).runs).toMatchObject([{}, { verdict: "same" }]);
  rmSync(`${ground.folder}/.home/runs/${bad}/journal.db`);
  expect((await against(ground)).runs).toMatchObject([{ verdict: "unknown", run_id: bad }, { verdict: "same" }]);
});

it("runs that end alike are counted together, and one is named", async () => {
  const ground = await released(3);
  ground.write({ count: "", times: "3" });
  await ground.run("flow.yaml", { extensions: { clock: instant } });
  ground.write({ count: "", times: "0" });
  await ground.run("flow.yaml", { extensions: { clock: instant } });
  ground.write({ "flow.yaml": RELEASE.replace("max: 4", "max: 1") });
  const { counts, groups } = await against(ground);
  expect(counts).toMatchObject({ same: 1, worse: 2 });
  expect(groups).toMatchObject([
    { verdict: "same", count: 1 },
    { verdict: "worse", count: 2, step: "publish", change: "max 4 → 1" },
  ]);
});

it("says what is wrong with what is asked", async () => {
  const ground = groundWith({ "flow.yaml": RELEASE });
  expect((await against(ground)).errors[0]?.message).toMatch(/^there are no runs of flow.yaml/);
  expect((await against(ground, { since: "soon" })).errors[0]?.message).toMatch(/is no age/);
  await ground.run("flow.yaml");
  expect((await against(ground, { against: "nowhere" })).errors[0]?.message).toMatch(/neither a file nor a revision/);
});
