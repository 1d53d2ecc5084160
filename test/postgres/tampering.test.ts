// What somebody who can write to the database, and has no key, cannot do to a sealed fleet: be believed.
import { afterAll, describe, expect, it } from "vitest";
import { cluster, hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const sql = async (fleet: TestFleet, text: string) => (await cluster()).sql(text, fleet.url);

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

afterAll(async () => {
  if (hasPostgres) (await cluster()).close();
});

describe.skipIf(!hasPostgres)("a sealed value that somebody changed in the database", () => {
  it("stops the drive that meets it inside a step, whatever that step's routes take: answers, the cache, letters, breakers", async () => {
    const fleet = await TestFleet.start();
    fleet.write("routed.yaml", ROUTED);
    fleet.write("cached.yaml", CACHED);
    fleet.write("broken.yaml", BROKEN);
    await fleet.worker();
    const stopped = { success: false, errors: [{ error_type: "StoreError" }] };

    const { run_id: asked } = await fleet.json(["run", "routed.yaml"]);
    await sql(fleet, `update segno.answers set answer = 'garbage', closed = true where run_id = '${asked}'`);
    const resumed = await fleet.json(["resume", asked ?? ""]);
    expect(resumed).toMatchObject(stopped);
    expect(resumed.error).toMatch(/answer .*is not sealed, and everything here is/);
    expect(resumed.error).not.toMatch(/defect/);

    expect(await fleet.json(["run", "cached.yaml"])).toMatchObject({ status: "completed" });
    await sql(fleet, "update segno.cache set value = 'garbage'");
    expect(await fleet.json(["run", "cached.yaml"])).toMatchObject(stopped);
    expect(fleet.lines("log")).toEqual(["ran"]);

    const { run_id: called } = await fleet.json(["run", "broken.yaml"]);
    await sql(fleet, `update segno.letters set body = left(body, -4) where run_id = '${called}'`);
    expect(await fleet.json(["resume", called ?? ""])).toMatchObject(stopped);
    await sql(fleet, "update segno.breakers set state = 'garbage'");
    const broken = await fleet.json(["run", "broken.yaml"]);
    expect(broken).toMatchObject(stopped);
    expect(broken.error).toMatch(/circuit breaker .* is not what Segno wrote/);
  }, 120_000);
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
  }, 120_000);
});
