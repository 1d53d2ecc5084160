// `SEGNO_BENCH_ON=postgres://… npm run bench -- retention`: what removing old runs costs with a million of them in the tables.
import { Client } from "pg";
import { pruneByRetention, type Retention } from "../../src/services/runs/prune.ts";
import { newDatabase, placing } from "./fleet.ts";
import { printRow, type Row } from "./measured.ts";
import { familyOf, parentOf, processorSince } from "./processor.ts";

const [wanted = "", folder = ""] = process.argv.slice(2);

/** A number of milliseconds as the time of a run's id, in SQL. */
const timeOfId = (ms: string): string =>
  Array.from(
    { length: 10 },
    (_, at) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((${ms} >> ${(9 - at) * 5}) & 31)::int + 1, 1)`,
  ).join(" || ");

const MADE = 1_000_000;
const FLOWS = 20;
const REMOVED = 20_000;
const FIRST = 1_700_000_000_000;

/** One a second, with two rows of events each. */
const MAKING = `
  set synchronous_commit = off;
  alter table segno.runs disable trigger user;
  insert into segno.runs (run_id, workflow, file, durability, version, status, started, ended, resumable, drive, drive_ended,
      request, placed_at)
    select ${timeOfId("ms")} || lpad(n::text, 16, '0'), 'w' || n % ${FLOWS}, '/project/w' || n % ${FLOWS}, 'process', '', 'completed', ms, ms + 500,
      false, 1, true, '{"kind":"first"}', to_timestamp(ms / 1000)
    from generate_series(1, ${MADE}) n, lateral (select ${FIRST}::bigint + n * 1000 as ms) t;
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

/** By `retention:`, as a worker does it: the processor that the server uses, and this process. */
async function retentionRow(retention: Retention): Promise<Row> {
  const url = await newDatabase();
  const { store, close } = await placing(url, folder);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(MAKING);
  // Else the server would do it meanwhile.
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  const postmaster = parentOf((await client.query("select pg_backend_pid() as pid")).rows[0].pid);
  const used = [processorSince(() => familyOf(postmaster)), processorSince(() => [process.pid])];
  const gone = await pruneByRetention(store, "/project", retention, (_, message) => {
    throw new Error(message);
  });
  const [server = 0, here = 0] = used.map((ms) => ms() / gone.length);
  await client.end();
  await close();
  const subject = `${server.toFixed(2)} ms of the server and ${here.toFixed(2)} here, each of ${gone.length}`;
  return { direction: "at most", target: 1, ratio: server / 0.5, subject, floor: "0.5 ms; 1 000 000 runs" };
}

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  "scale: fleet: retention with 1 000 000 runs, older_than": () =>
    retentionRow({ older_than: (Date.now() - FIRST - REMOVED * 1000) / 1000 }),
  "scale: fleet: retention with 1 000 000 runs, keep": () => retentionRow({ keep: (MADE - REMOVED) / FLOWS }),
};

await printRow(rows, wanted);
process.exit(0);
