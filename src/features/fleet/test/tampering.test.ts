// What somebody who can write to the database, and has no key, cannot do to a sealed fleet: be believed.
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../test/support/until.ts";
import type { LettersAnswer } from "../../../services/dead-letters/letters.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { sealWith } from "../postgres/key-seal.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { cluster, freshDatabase, hasPostgres } from "./cluster.ts";
import { QUICK, SEAL_KEY, TestFleet } from "./fleet.ts";

const sql = async (fleet: TestFleet, text: string) => fleet.sql(text);

const ROUTED = `
workflow: { name: routed, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "Go on?"
    options: [{ label: "Yes", value: "yes", route: $end }]
    routes: [{ on_error: true, to: fallback }]
  - { name: fallback, type: script, command: sh, args: [-c, "echo ran >> log"] }
`;

const CACHED = `
workflow: { name: cached, entry_point: work }
agents:
  - name: work
    type: script
    command: sh
    args: [-c, "echo ran >> log"]
    cache: { ttl: 3600 }
    routes: [{ to: $end }, { on_error: true, to: fallback }]
  - { name: fallback, type: script, command: sh, args: [-c, "echo fallback >> log"] }
`;

const BROKEN = `
workflow:
  name: broken
  entry_point: call
  resilience: { circuit_breaker: { failure_threshold: 5, recovery_timeout: 600 }, dead_letter: true }
agents:
  - { name: call, type: http, url: "http://127.0.0.1:1/", routes: [{ to: $end }] }
`;

const GATE = `
workflow: { name: gated, entry_point: say }
agents:
  - { name: say, type: script, command: sh, args: [-c, "echo ran >> log"], routes: [{ to: ask }] }
  - name: ask
    type: human_gate
    prompt: "Go on?"
    options: [{ label: "Yes", value: "yes", route: $end }]
`;

const AGAIN = `
workflow: { name: again, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "Go on?"
    options: [{ label: "Yes", value: "yes", route: work }]
  - { name: work, type: script, command: sh, args: [-c, 'echo ran >> log; echo "$0" > "$CONDUCTOR_ERROR_OUT"', '{"kind": "my.kind", "message": "no"}'] }
`;

const EACH = `
workflow: { name: each, entry_point: begin, runtime: { affinity: any } }
agents:
  - { name: begin, type: set, value: "{{ range(4) | list }}", output_type: list, routes: [{ to: each }] }
for_each:
  - name: each
    type: for_each
    source: begin.output
    as: n
    spread: true
    max_concurrent: 2
    agent: { name: item, type: script, command: sh, args: [-c, 'echo "$0" >> log; until [ -e go ]; do sleep 0.1; done', "{{ n }}"] }
`;

const FAILS = `
workflow: { name: flow, entry_point: fail }
agents:
  - { name: fail, type: script, command: sh, args: [-c, 'echo "$0" > "$CONDUCTOR_ERROR_OUT"', '{"kind": "my.kind", "message": "no"}'] }
`;

const AFTER = `
workflow: { name: after, entry_point: note, input: { kind: { type: string } } }
agents:
  - { name: note, type: script, command: sh, args: [-c, 'echo "$0" >> log', "{{ workflow.input.kind }}"] }
`;

const ON_RUN = `name: yard
triggers:
  - { name: after, workflow: after.yaml, on_run: { workflow: flow, status: [failed] }, inputs: { kind: "{{ trigger.run.kind }}" } }
`;

const PARENT = `
workflow: { name: parent, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "Go on?"
    options: [{ label: "Yes", value: "yes", route: work }]
  - { name: work, type: workflow, workflow: ./child.yaml }
`;

const child = (word: string): string => `
workflow: { name: child, entry_point: say }
agents:
  - { name: say, type: script, command: sh, args: [-c, "echo ${word} >> log"] }
`;

describe.skipIf(!hasPostgres)("a sealed value that somebody changed in the database", () => {
  it("stops the drive that meets it inside a step, whatever that step's routes take: answers, the cache, breakers", async () => {
    const fleet = await TestFleet.start();
    fleet.write("routed.yaml", ROUTED);
    fleet.write("cached.yaml", CACHED);
    fleet.write("broken.yaml", BROKEN);
    await fleet.worker();
    const stopped = { success: false, errors: [{ error_type: "StoreError" }] };

    const { run_id: asked } = await fleet.json(["run", "routed.yaml"]);
    await sql(fleet, `update segno.answers set answer = 'garbage' where run_id = '${asked}'`);
    const resumed = await fleet.json(["resume", asked ?? ""]);
    expect(resumed).toMatchObject(stopped);
    expect(resumed.error).toMatch(/answer .*is not sealed, and everything here is/);
    expect(resumed.error).not.toMatch(/defect/);
    expect(resumed.errors[0]?.hint).toContain(`segno resume ${asked}, with --from ask`);

    expect(await fleet.json(["run", "cached.yaml"])).toMatchObject({ status: "completed" });
    await sql(fleet, "update segno.cache set value = 'garbage'");
    expect(await fleet.json(["run", "cached.yaml"])).toMatchObject(stopped);
    expect(fleet.lines("log")).toEqual(["ran"]);

    const { run_id: called } = await fleet.json(["run", "broken.yaml"]);
    await sql(fleet, `update segno.letters set body = left(body, -4) where run_id = '${called}'`);
    // Of a list it is left out: the other letters can still be tried again.
    expect(await fleet.json<LettersAnswer>(["dlq", "list", "--run", called ?? ""])).toMatchObject({ letters: [] });
    await sql(fleet, "update segno.breakers set state = 'garbage'");
    const broken = await fleet.json(["run", "broken.yaml"]);
    expect(broken).toMatchObject(stopped);
    expect(broken.error).toMatch(/circuit breaker .* is not what Segno wrote/);
  });
});

describe.skipIf(!hasPostgres)("an earlier answer that somebody put back", () => {
  it("is none to what is asked anew: the drive that meets it stops, and asks when it is gone", async () => {
    const fleet = await TestFleet.start();
    fleet.write("again.yaml", AGAIN);
    await fleet.worker();
    const { run_id: id } = await fleet.json(["run", "again.yaml"]);
    const runId = id ?? "";
    const row = `from segno.answers where run_id = '${runId}'`;
    expect(await fleet.json(["gate", "answer", runId, "yes"])).toMatchObject({ status: "failed" });
    expect(fleet.lines("log")).toEqual(["ran"]);
    await sql(fleet, `create table kept as select * ${row}`);

    expect(await fleet.json(["resume", runId, "--from", "ask"])).toMatchObject({ status: "paused" });
    await sql(fleet, `update segno.answers set answer = (select answer from kept) where run_id = '${runId}'`);
    const stopped = await fleet.json(["resume", runId]);
    expect(stopped).toMatchObject({ success: false, errors: [{ error_type: "StoreError" }] });
    expect(stopped.error).toMatch(/answer to ask#1 of run .* was given to another question/);

    // The question that it was given to with it: it asks something else by now.
    await sql(fleet, `delete ${row}; insert into segno.answers select * from kept`);
    expect(await fleet.json(["resume", runId])).toMatchObject({ status: "paused" });
    expect(fleet.lines("log")).toEqual(["ran"]);
    expect(await fleet.json(["gate", "answer", runId, "yes"])).toMatchObject({ status: "failed" });
    expect(fleet.lines("log")).toEqual(["ran", "ran"]);
  });

  it("counts as an older Segno sealed it, for no question, only where that asked", async () => {
    const url = await freshDatabase();
    const store = await openPostgresStore(url, { home: "/", sealKey: SEAL_KEY });
    onTestFinished(() => store.close());
    const { gates } = store.state;
    const older = sealWith(SEAL_KEY).close('"yes"', ["R1", "answer", "ask#1"]);
    const answered = async (question: object) => {
      await gates.present("R1", "ask#1", question);
      await (await cluster()).sql(`update segno.answers set answer = '${older}'`, url);
      return gates.answerTo("R1", "ask#1", question);
    };
    expect(await answered({ prompt: "Go on?" })).toEqual({ answer: "yes" });
    await expect(answered({ prompt: "Go on?", asked_at: new Date(0).toISOString() })).rejects.toThrow(
      /was given to another question/,
    );
  });
});

describe.skipIf(!hasPostgres)("a share of a spread group whose items somebody changed", () => {
  it("stops its run with a sentence, said once, and a resume hands out anew", async () => {
    const fleet = await TestFleet.start();
    fleet.write("each.yaml", EACH);
    const workers = await Promise.all([fleet.workerProcess(QUICK), fleet.workerProcess(QUICK)]);
    const runId = await fleet.place("each.yaml");
    await until(() => fleet.lines("log").length === 2);
    await sql(fleet, "update segno.spreads set items = left(items, -8)");
    const [driving] = await sql(fleet, "select holder from segno.leases where stream = ''");
    const [lost, left] = [...workers].sort((one) => (String(driving?.holder).includes(`-${one.pid}:`) ? 1 : -1));
    process.kill(lost?.pid ?? 0, "SIGKILL");
    fleet.write("go", "");

    expect(await fleet.allEnded([runId])).toEqual(["failed"]);
    const sentence = /is not what was sealed for that place: it was changed or moved/;
    expect(
      left?.said().match(new RegExp(`A share of run ${runId} could not be driven: .*${sentence.source}`, "g")),
    ).toHaveLength(1);
    const shown = await fleet.segno(["show", runId]);
    // The terminal breaks lines.
    expect(`${shown.stdout}${shown.stderr}`.replace(/\s+/g, " ")).toMatch(sentence);
    const { run } = await fleet.json<{ run: { headline: string; status: string } }>(["explain", runId]);
    expect(run).toMatchObject({ status: "failed", headline: expect.stringMatching(sentence) });

    expect(await fleet.json(["resume", runId])).toMatchObject({ status: "completed" });
    expect(new Set(fleet.lines("log"))).toEqual(new Set(["0", "1", "2", "3"]));
  });
});

describe.skipIf(!hasPostgres)("files that travelled with a run", () => {
  it("are not fallen back behind when somebody takes the newer ones away, or one of them", async () => {
    const fleet = await TestFleet.start();
    fleet.write("parent.yaml", PARENT);
    fleet.write("child.yaml", child("old"));
    await fleet.worker();
    const { run_id: runId } = await fleet.json(["run", "parent.yaml"]);
    fleet.write("child.yaml", child("new"));
    expect(await fleet.json(["resume", runId ?? ""])).toMatchObject({ status: "paused" });
    await sql(fleet, `delete from segno.pins where run_id = '${runId}' and drive > 1`);
    const answered = await fleet.json(["gate", "answer", runId ?? "", "yes"]);
    expect(answered).toMatchObject({ success: false, errors: [{ error_type: "StoreError" }] });
    expect(answered.error).toMatch(/files of drive 2 of run .* are not in the database as they were pinned/);
    expect(fleet.lines("log")).toEqual([]);
    expect(await fleet.json(["resume", runId ?? ""])).toMatchObject({ status: "completed" });
    expect(fleet.lines("log")).toEqual(["new"]);

    // Without its child the parent would take whatever the worker has under that name.
    const { run_id: other } = await fleet.json(["run", "parent.yaml"]);
    await sql(fleet, `delete from segno.pins where run_id = '${other}' and path like '%child.yaml'`);
    const refused = await fleet.json(["gate", "answer", other ?? "", "yes"]);
    expect(refused).toMatchObject({ success: false, errors: [{ error_type: "StoreError" }] });
    expect(fleet.lines("log")).toEqual(["new"]);
  });
});

describe.skipIf(!hasPostgres)("a journal", () => {
  it("that was cut short, or has a hole, is not gone on with: no step that is done runs again", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    await fleet.worker();
    const [cut, holed] = [await fleet.json(["run", "gate.yaml"]), await fleet.json(["run", "gate.yaml"])];
    expect(fleet.lines("log")).toEqual(["ran", "ran"]);
    await sql(fleet, `delete from segno.events where run_id = '${cut.run_id}' and first_seq >= 3`);
    const answered = await fleet.json(["gate", "answer", cut.run_id ?? "", "yes"]);
    expect(answered).toMatchObject({ success: false, errors: [{ error_type: "StoreError" }] });
    expect(answered.error).toMatch(/ends at event \d, but it had \d+ events when the run last paused or ended/);
    // Nothing of the answer is there: both are written together.
    expect(
      await sql(fleet, `select 1 from segno.answers where run_id = '${cut.run_id}' and answer is null`),
    ).toHaveLength(1);

    await sql(
      fleet,
      `delete from segno.events where (run_id, first_seq) in (select run_id, first_seq from segno.events
         where run_id = '${holed.run_id}' and stream = '' order by first_seq offset 1 limit 1)`,
    );
    const asked = await fleet.json(["gate", "answer", holed.run_id ?? "", "yes"]);
    expect(asked).toMatchObject({ success: false, errors: [{ error_type: "StoreError" }] });
    expect(asked.error).toMatch(/has no events \d+ to \d+/);
    expect(fleet.lines("log")).toEqual(["ran", "ran"]);
  });
});

describe.skipIf(!hasPostgres)("the end of a run", () => {
  it("fires `on_run` only as the run itself recorded it", async () => {
    const fleet = await TestFleet.start();
    const env = { HOME: fleet.folder };
    fleet.write("flow.yaml", FAILS);
    fleet.write("after.yaml", AFTER);
    fleet.write("segno.yaml", ON_RUN);
    expect((await fleet.segno(["trust", "--yes"], env)).code).toBe(0);
    const worker = await fleet.workerProcess(env);
    const looks = async () => (await sql(fleet, "select 1 from segno.triggers")).length > 0;
    await until(looks);
    const now = Date.now();
    const forged = newRunId();
    await sql(
      fleet,
      `insert into segno.runs (run_id, workflow, file, durability, version, status, started, ended, failing_kind, exit_code,
         resumable, drive, drive_ended)
       values ('${forged}', 'flow', 'flow.yaml', 'process', '', 'failed', ${now}, ${now}, 'chosen.text', 1, true, 1, true)`,
    );
    await until(() => worker.said().includes(`No trigger fires for the end of run ${forged}`));
    const { run_id: failed } = await fleet.json(["run", "flow.yaml"]);
    await until(() => fleet.lines("log").length > 0);
    expect(fleet.lines("log")).toEqual(["my.kind"]);
    // Another kind than the run's own, and a time at which it did not end.
    await sql(
      fleet,
      `update segno.runs set failing_kind = 'chosen.text', ended = ended + 1 where run_id = '${failed}'`,
    );
    await until(() => worker.said().includes(`No trigger fires for the end of run ${failed}`));
    // The end that it has, as an older Segno left it: the journal is asked, and it is known already.
    await sql(fleet, `update segno.runs set failing_kind = 'my.kind', ending = null where run_id = '${failed}'`);
    const { run_id: last } = await fleet.json(["run", "flow.yaml"]);
    await sql(fleet, `update segno.runs set ending = null where run_id = '${last}'`);
    await until(() => fleet.lines("log").length > 1);
    expect(fleet.lines("log")).toEqual(["my.kind", "my.kind"]);
    const firings = await sql(fleet, "select run_id from segno.firings");
    expect(firings).toHaveLength(2);
  });
});

describe.skipIf(!hasPostgres)("what is written beside the sealed values", () => {
  it("renames neither the workflow that a gate asks for, nor the trigger that a firing is of", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    await fleet.worker();
    const { run_id: runId } = await fleet.json(["run", "gate.yaml"]);
    await sql(fleet, `update segno.runs set workflow = 'harmless' where run_id = '${runId}'`);
    const { gates } = await fleet.json<{ gates: readonly object[] }>(["gate", "list"]);
    expect(gates).toMatchObject([{ run_id: runId, workflow: "gated" }]);

    const store = await openPostgresStore(fleet.url, { home: fleet.folder, sealKey: SEAL_KEY });
    onTestFinished(() => store.close());
    const fired = newRunId();
    await store.state.firings?.record({
      runId: fired,
      trigger: "yard#notes",
      at: Date.now(),
      depth: 0,
      marks: [],
      body: { inputs: {} },
    });
    await sql(fleet, "update segno.firings set trigger_name = 'yard#deploys'");
    expect(await store.state.firings?.get(fired)).toMatchObject({ trigger: "yard#notes" });
  });
});
