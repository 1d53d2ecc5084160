// `SEGNO_BENCH_ON=postgres://… npm run bench -- runs`: what lists, placing a run and removing old ones cost with many runs in
// the tables.
import { Client } from "pg";
import { ShownRuns } from "../../src/frontends/server/views/run-list.ts";
import { WatchedRuns } from "../../src/frontends/server/views/watched-runs.ts";
import { pruneByRetention, type Retention } from "../../src/services/runs/prune.ts";
import { newDatabase, placing } from "./fleet.ts";
import { listsRow, listsTook } from "./lists.ts";
import { fileIn, printRow, type Row, seconds } from "./measured.ts";
import { familyOf, parentOf, processorSince } from "./processor.ts";
import { figuresOf, statsRow } from "./stats.ts";

const [wanted = "", folder = ""] = process.argv.slice(2);

/** A number of milliseconds as the time of a run's id, in SQL. */
const timeOfId = (ms: string): string =>
  Array.from(
    { length: 10 },
    (_, at) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((${ms} >> ${(9 - at) * 5}) & 31)::int + 1, 1)`,
  ).join(" || ");

const MILLION = 1_000_000;
const FLOWS = 20;
const REMOVED = 20_000;
const FIRST = 1_700_000_000_000;

/** One a second, one of ten failed, with two rows of events each. */
const making = (count: number): string => `
  set synchronous_commit = off;
  alter table segno.runs disable trigger user;
  insert into segno.runs (run_id, workflow, file, durability, version, status, started, ended, resumable, drive, drive_ended,
      request, placed_at)
    select ${timeOfId("ms")} || lpad(n::text, 16, '0'), 'w' || n % ${FLOWS}, '/project/w' || n % ${FLOWS}, 'process', '',
      case when n % 10 = 0 then 'failed' else 'completed' end, ms, ms + 500,
      false, 1, true, '{"kind":"first"}', to_timestamp(ms / 1000)
    from generate_series(1, ${count}) n, lateral (select ${FIRST}::bigint + n * 1000 as ms) t;
  alter table segno.runs enable trigger user;
  insert into segno.leases select run_id, '', 1, null, 0 from segno.runs;
  insert into segno.events (run_id, stream, first_seq, last_seq, epoch, data)
    select run_id, '', s, s, 1, repeat('x', 300) from segno.runs, generate_series(1, 2) s;
  insert into segno.pins (run_id, drive, path, hash) select run_id, 1, file, 'h' || workflow from segno.runs;
  insert into segno.sources (hash, data) select distinct hash, '"x"' from segno.pins;
  insert into dbos.workflow_status (workflow_uuid, status, name, queue_name, application_version, executor_id, created_at, updated_at)
    select run_id || ':1', 'SUCCESS', 'drive', 'segno-drives', '2', 'x', started, started from segno.runs;
  insert into dbos.workflow_input (workflow_uuid, inputs) select run_id || ':1', '{}' from segno.runs;
`;

/** A database in which so many runs have ended. */
async function withRuns(count: number) {
  const url = await newDatabase();
  const placed = await placing(url, folder);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(making(count));
  // Else the server would do it meanwhile.
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  return {
    ...placed,
    url,
    client,
    async close(): Promise<void> {
      await client.end();
      await placed.close();
    },
  };
}

async function listed(count: number) {
  const { url, close } = await withRuns(count);
  await close();
  const session = { cwd: "/project", env: {}, fleet: url, home: folder };
  const watched = await WatchedRuns.open(session, "/project");
  return listsTook({ session, watched, list: new ShownRuns(watched, session) });
}

async function statsOnFleet(): Promise<Row> {
  const { url, client, close } = await withRuns(100_000);
  await client.query(
    `insert into segno.run_facts (run_id, rehearsal, input_marks, figures)
       select run_id, false, '', case when status = 'failed' then $1 else $2 end from segno.runs`,
    [JSON.stringify(figuresOf(true)), JSON.stringify(figuresOf(false))],
  );
  await client.query("vacuum analyze");
  await close();
  return statsRow({ cwd: "/project", env: {}, fleet: url, home: folder });
}

const PLACED = 200;

/** From the request to the row in the queue, with nobody to take it. */
async function placeRow(): Promise<Row> {
  const { place, close } = await withRuns(100_000);
  const file = fileIn(
    folder,
    "placed.yaml",
    "workflow: { name: p, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n",
  );
  await place(file);
  const ms =
    ((await seconds(async () => {
      for (let n = 0; n < PLACED; n++) await place(file);
    })) *
      1000) /
    PLACED;
  await close();
  return { direction: "at most", target: 3, ratio: ms, subject: `${ms.toFixed(2)} ms`, floor: "100 000 ended runs" };
}

/** By `retention:`, as a worker does it: the processor that the server uses, and this process. */
async function retentionRow(retention: Retention): Promise<Row> {
  const { store, client, close } = await withRuns(MILLION);
  const postmaster = parentOf((await client.query("select pg_backend_pid() as pid")).rows[0].pid);
  const used = [processorSince(() => familyOf(postmaster)), processorSince(() => [process.pid])];
  const gone = await pruneByRetention(store, "/project", retention, (_, message) => {
    throw new Error(message);
  });
  const [server = 0, here = 0] = used.map((ms) => ms() / gone.length);
  await close();
  const subject = `${server.toFixed(2)} ms of the server and ${here.toFixed(2)} here, each of ${gone.length}`;
  return { direction: "at most", target: 1, ratio: server / 0.5, subject, floor: "0.5 ms; 1 000 000 runs" };
}

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  "scale: fleet: lists of 100 000 runs": async () => listsRow(await listed(1_000), await listed(100_000)),
  "scale: fleet: stats of 100 000 runs": statsOnFleet,
  "scale: fleet: ms to place a run, no worker, 100 000 runs": placeRow,
  "scale: fleet: retention with 1 000 000 runs, older_than": () =>
    retentionRow({ older_than: (Date.now() - FIRST - REMOVED * 1000) / 1000 }),
  "scale: fleet: retention with 1 000 000 runs, keep": () => retentionRow({ keep: (MILLION - REMOVED) / FLOWS }),
};

await printRow(rows, wanted);
process.exit(0);
