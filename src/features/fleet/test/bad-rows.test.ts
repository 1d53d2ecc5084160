// One row that somebody changed, or that another program wrote: the rest of a list stays, and what is missing is said.
import { describe, expect, it, onTestFinished } from "vitest";
import { newRunId } from "../../../storage/run-index.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { cluster, freshDatabase, hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";

const SPREAD = `
workflow: { name: spread, entry_point: begin, runtime: { affinity: any } }
agents:
  - { name: begin, type: set, value: "{{ range(4) | list }}", output_type: list, routes: [{ to: each }] }
for_each:
  - name: each
    type: for_each
    source: begin.output
    as: n
    spread: true
    max_concurrent: 2
    agent: { name: item, type: set, value: "{{ n }}" }
    routes: [{ to: $end }]
`;

const FOREIGN = `insert into segno.workers (worker, heard, version, labels, dead_after_ms)
  values ('foreign', (extract(epoch from clock_timestamp()) * 1000)::bigint, 'x', 'not json', 1000000)`;

describe.skipIf(!hasPostgres)("a row that cannot be read", () => {
  it("takes no list of questions, letters, firings, breakers or runs down", async () => {
    const server = await cluster();
    const url = await freshDatabase();
    const store = await openPostgresStore(url, { home: "/nonexistent", sealKey: SEAL_KEY });
    onTestFinished(() => store.close());
    const { gates, letters, firings, breakers } = store.state;
    const [good, bad] = [newRunId(), newRunId()];
    for (const runId of [good, bad]) {
      await store.createRun({ runId, workflow: "w", file: "/w.yaml", durability: "process" });
      await gates.present(runId, "ask#1", { prompt: "?" });
      await letters.put({ id: runId, runId, place: "a#1", workflow: "w", node: "a", kind: "k", body: {} });
      await firings?.record({ runId, trigger: "hook", at: 1, depth: 0, marks: [], body: { inputs: {} } });
      await breakers.update(runId, () => ({}));
    }
    await server.sql(
      `update segno.answers set question = 'garbage' where run_id = '${bad}';
       update segno.letters set body = 'garbage' where run_id = '${bad}';
       update segno.firings set data = 'garbage' where run_id = '${bad}';
       update segno.breakers set state = 'garbage' where name = '${bad}';
       update segno.runs set started = 9e17 where run_id = '${bad}'`,
      url,
    );
    expect((await gates.pending()).map(({ runId }) => runId)).toEqual([good]);
    expect((await letters.list()).map(({ runId }) => runId)).toEqual([good]);
    expect((await firings?.list())?.map(({ runId }) => runId)).toEqual([good]);
    expect((await breakers.list()).map(({ name }) => name)).toEqual([good]);
    expect((await store.runs()).map(({ runId }) => runId)).toEqual([good]);
    const said = [...store.leftOut];
    expect(said).toHaveLength(5);
    for (const text of said) expect(text).toContain(bad);
    // Who has no key here is told that, and not that every row is bad.
    const keyless = await openPostgresStore(url, { home: "/nonexistent" });
    onTestFinished(() => keyless.close());
    await expect(keyless.state.gates.pending(good)).rejects.toThrow(/SEGNO_SEAL_KEY is not set/);
  });

  it("is named beside the list of workers, by doctor too, and keeps no group from being spread", async () => {
    const fleet = await TestFleet.start();
    fleet.write("spread.yaml", SPREAD);
    await Promise.all([fleet.worker(), fleet.workerProcess()]);
    const server = await cluster();
    await server.sql(FOREIGN, fleet.url);
    expect(await fleet.json(["run", "spread.yaml"])).toMatchObject({ status: "completed" });
    const shares = "select status from dbos.workflow_status where queue_name = 'segno-branches'";
    expect(await server.sql(shares, fleet.url)).toHaveLength(2);
    const listed = await fleet.segno(["workers", "--output-format", "json"]);
    expect(listed.code).toBe(0);
    expect((JSON.parse(listed.stdout) as { workers: unknown[] }).workers).toHaveLength(2);
    expect(listed.stderr).toMatch(/Left out: the worker foreign\. .*remove its row/);
    const { checks } = await fleet.json<{ checks: readonly { name: string; message: string }[] }>(["doctor"]);
    const rows = checks.filter(({ name }) => name.startsWith("fleet."));
    expect(rows.map(({ name }) => name)).toEqual(["fleet.database", "fleet.workers", "fleet.rows", "fleet.seal"]);
  });
});
