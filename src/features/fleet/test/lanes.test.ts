// Who is next on a fleet: by priority, and in turn between keys; and a run that waits for a limit holds no worker.
import { describe, expect, it, onTestFinished } from "vitest";
import { startAnthropicFake } from "../../../../test/fakes/index.ts";
import { until } from "../../../../test/support/until.ts";
import { hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const note = (name: string): string => `workflow: { name: ${name}, entry_point: note }
agents:
  - { name: note, type: set, value: 1 }
`;

const COUNT = 10_000;

/** Copies a run that waits, with all that a worker needs of it. Nothing here is sealed, which would bind it to its run. */
const copies = (run: string): string => `
  create temp table copy as select '01COPY' || lpad(n::text, 20, '0') as id, n from generate_series(1, ${COUNT - 1}) n;
  create temp table one as select * from segno.runs where run_id = '${run}';
  insert into segno.runs (run_id, workflow, file, durability, version, status, started, resumable, drive, drive_ended, request, request_seq, placed_at)
    select id, workflow, file, durability, version, status, started, resumable, drive, drive_ended, request, request_seq, placed_at from one, copy;
  insert into segno.pins (run_id, drive, path, hash, mac) select id, drive, path, hash, mac from segno.pins, copy where run_id = '${run}';
  insert into segno.blobs (run_id, hash, data) select id, hash, data from segno.blobs, copy where run_id = '${run}';
  insert into segno.leases (run_id, stream, epoch, holder, since) select id, stream, epoch, holder, since from segno.leases, copy where run_id = '${run}';
  create temp table row as select * from dbos.workflow_status where workflow_uuid = '${run}:1';
  insert into dbos.workflow_status select (jsonb_populate_record(row, jsonb_build_object('workflow_uuid', id || ':1', 'priority', priority + n))).* from row, copy;
  insert into dbos.workflow_input (workflow_uuid, inputs) select id || ':1', replace(inputs, '${run}', id)
    from dbos.workflow_input, copy where workflow_uuid = '${run}:1';
`;

const UNSEALED = { SEGNO_SEAL_KEY: "" };

describe.skipIf(!hasPostgres)("runs that wait for a worker", () => {
  it("of another key start with the next free places, behind none of ten thousand", async () => {
    const fleet = await TestFleet.start();
    fleet.write("many.yaml", note("many"));
    fleet.write("few.yaml", note("few"));
    const place = async (...args: string[]): Promise<string> =>
      (await fleet.json(["run", ...args, "--detach"], UNSEALED)).run_id ?? "";
    await fleet.sql(copies(await place("many.yaml")));
    for (let n = 0; n < 10; n += 1) await place("few.yaml");
    const begun = async (workflow: string): Promise<number> =>
      Number(
        (
          await fleet.sql(`select count(*) as n from segno.runs where workflow = '${workflow}' and status <> 'queued'`)
        )[0]?.n,
      );
    expect(await begun("many")).toBe(0);
    await fleet.worker(UNSEALED, { concurrency: 2 });
    await until(async () => (await begun("few")) === 10 && (await begun("many")) > 0);
    // They take turns: about as many of the others have begun.
    expect(await begun("many")).toBeLessThan(60);
  });

  it("are taken by their priority", async () => {
    const fleet = await TestFleet.start();
    fleet.write(
      "late.yaml",
      note("late").replace("entry_point: note", "entry_point: note, runtime: { priority: low }"),
    );
    fleet.write("some.yaml", note("some"));
    const low = await fleet.place("late.yaml");
    const normal = await fleet.place("some.yaml");
    const high = await fleet.place("late.yaml", "--priority", "high");
    await fleet.worker({}, { concurrency: 1 });
    await fleet.allEnded([low, normal, high]);
    const rows = await fleet.sql("select workflow_uuid as id from dbos.workflow_status order by started_at_epoch_ms");
    expect(rows.map(({ id }) => String(id).split(":")[0])).toEqual([high, normal, low]);
  });

  it("for a limit to be reset hold no worker meanwhile", async () => {
    const fake = await startAnthropicFake({
      answers: ({ index }) => (index === 0 ? { status: 429, headers: { "retry-after": "1200" } } : "ok"),
    });
    onTestFinished(() => fake.close());
    const fleet = await TestFleet.start();
    fleet.write(
      "ask.yaml",
      `workflow:
  name: asks
  entry_point: ask
  limits: { timeout_seconds: 600 }
  runtime: { provider: anthropic, default_model: claude-test }
agents:
  - { name: ask, prompt: hi, routes: [{ to: $end }, { on_error: provider.exhausted, retry: { until: reset } }] }
`,
    );
    await fleet.worker({ ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: fake.url });
    await fleet.place("ask.yaml");
    const [waits] = await until(async () => {
      const rows = await fleet.sql(
        `select r.wakes_at, l.holder from segno.runs r join segno.leases l using (run_id) where wakes_at is not null and l.holder is null`,
      );
      return rows.length > 0 ? rows : undefined;
    });
    expect(Date.parse(String(waits?.wakes_at))).toBeGreaterThan(Date.now() + 15 * 60_000);
    expect(fake.requests).toHaveLength(1);
  });
});
