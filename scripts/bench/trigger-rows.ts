// `SEGNO_BENCH_ON=postgres://… npm run bench -- triggers`: how late runs of schedules begin on a fleet, and what a webhook costs.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { newDatabase, placing } from "./fleet.ts";
import { median, printRow, type Row } from "./measured.ts";
import { familyOf, parentOf, processorSince } from "./processor.ts";

const [wanted = "", folder = ""] = process.argv.slice(2);
const PROGRAM = resolve("dist/main.cjs");

const FLOW = `workflow: { name: flow, entry_point: a, input: { what: { type: string, default: "" } } }
steps:
  - { name: a, type: set, value: "{{ workflow.input.what }}" }
`;

/** A project with these triggers on a database of its own. */
async function project(triggers: readonly object[]) {
  const cwd = mkdtempSync(join(folder, "triggers-"));
  writeFileSync(join(cwd, "flow.yaml"), FLOW);
  writeFileSync(join(cwd, "segno.yaml"), JSON.stringify({ name: "bench", triggers }));
  const url = await newDatabase();
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    SEGNO_HOME: join(cwd, "home"),
    SEGNO_ON: url,
    SEGNO_SERVE_TOKEN: "a-token-of-the-bench",
  };
  spawnSync(process.execPath, [PROGRAM, "trust", "--yes"], { cwd, env });
  const client = new Client({ connectionString: url });
  await client.connect();
  const postmaster = parentOf((await client.query("select pg_backend_pid() as pid")).rows[0].pid);
  const children: ChildProcess[] = [];
  return {
    client,
    url,
    file: join(cwd, "flow.yaml"),
    server: () => familyOf(postmaster),
    /** Starts a process of it, and waits until it has said this; gives what it said. */
    async start(args: readonly string[], until: RegExp): Promise<{ readonly pid: number; readonly said: string }> {
      const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
      children.push(child);
      let said = "";
      await new Promise<void>((ready, reject) => {
        child.once("exit", () => reject(new Error(said)));
        for (const stream of [child.stdout, child.stderr])
          stream?.on("data", (bytes) => {
            said += bytes;
            if (until.test(said)) ready();
          });
      });
      return { pid: child.pid ?? 0, said };
    },
    async close(): Promise<void> {
      for (const child of children) {
        child.removeAllListeners("exit");
        child.kill("SIGKILL");
      }
      await client.end();
    },
  };
}

const SCHEDULES = 200;
const MINUTE = 60_000;

/** All of the same minute, on two workers: from the minute to the first step. */
async function schedulesRow(): Promise<Row> {
  const triggers = Array.from({ length: SCHEDULES }, (_, n) => ({
    name: `t${n}`,
    workflow: "flow.yaml",
    schedule: "* * * * *",
  }));
  const { start, client, server, close } = await project(triggers);
  const pids: number[] = [];
  for (let n = 0; n < 2; n++) pids.push((await start(["worker"], /drive|trigger/i)).pid);
  await pause(5000);
  const times: number[] = [];
  const used = [processorSince(() => pids), processorSince(server)];
  const began = performance.now();
  // The first minute also makes what later ones find.
  for (let turn = 0; turn < 2; turn++) {
    const minute = Math.ceil(Date.now() / MINUTE) * MINUTE;
    await pause(minute - Date.now());
    const late = async (): Promise<readonly number[]> => {
      const { rows } = await client.query(
        `select extract(epoch from min(e.at)) * 1000 - $1 as ms from segno.runs r join segno.events e using (run_id)
         where r.placed_at >= to_timestamp($1::float8 / 1000) group by r.run_id`,
        [minute],
      );
      return rows.map(({ ms }) => Number(ms) / 1000);
    };
    let found: readonly number[] = [];
    while (found.length < SCHEDULES && Date.now() < minute + 50_000) {
      await pause(500);
      found = await late();
    }
    if (found.length < SCHEDULES) throw new Error(`only ${found.length} runs began within 50 s`);
    if (turn > 0) times.push(...found);
  }
  const seconds = (performance.now() - began) / 1000;
  const [worker = 0, postgres = 0] = used.map((ms) => ms() / seconds / 10);
  await close();
  times.sort((a, b) => a - b);
  const p50 = median(times);
  const subject = `${p50.toFixed(2)} s, p99 ${(times[Math.floor(times.length * 0.99)] ?? 0).toFixed(2)} s; two workers ${worker.toFixed(0)} % and the server ${postgres.toFixed(0)} % of a core`;
  return { direction: "at most", target: 3, ratio: p50, subject, floor: "–" };
}

const DELIVERIES = 300;

/** Taken, recorded and its run placed, beyond what driving a run takes: measured with runs that are placed from elsewhere. */
async function webhooksRow(): Promise<Row> {
  const secret = "bench";
  const webhook = { path: "/hooks/bench", secret, verify: "github" };
  const inputs = { what: "{{ trigger.body.n | string }}" };
  const { start, client, server, url, file, close } = await project([
    { name: "pushed", workflow: "flow.yaml", webhook, inputs },
  ]);
  const { pid, said } = await start(["worker", "--port", "0"], /webhooks: http:\/\/\S+\n/i);
  const address = /http:\/\/[^/\s]+/.exec(said)?.[0] ?? "";
  const elsewhere = await placing(url, folder);
  let count = 0;
  const deliver = async (): Promise<void> => {
    const body = JSON.stringify({ n: count++, text: "x".repeat(2000) });
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
    const answer = await fetch(`${address}${webhook.path}`, { method: "POST", body, headers });
    if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
  };
  const place = async (): Promise<void> => {
    await elsewhere.place(file);
    count += 1;
  };
  const each = async (begin: () => Promise<void>): Promise<readonly number[]> => {
    const used = [processorSince(() => [pid]), processorSince(server)];
    for (let n = 0; n < DELIVERIES; n += 4) await Promise.all([begin(), begin(), begin(), begin()]);
    const ended = async (): Promise<number> =>
      (await client.query("select count(*)::int as n from segno.runs where drive_ended")).rows[0].n;
    while ((await ended()) < count) await pause(50);
    return used.map((ms) => ms() / DELIVERIES);
  };
  for (const warm of [deliver, place, deliver]) await each(warm);
  const [[ofPlaced = 0] = [], [ofDelivered = 0, ofServer = 0] = []] = [await each(place), await each(deliver)];
  await elsewhere.close();
  await close();
  const subject = `${(ofDelivered - ofPlaced).toFixed(1)} ms beside ${ofPlaced.toFixed(1)} for its run; ${ofServer.toFixed(1)} of Postgres for both`;
  return { direction: "at most", target: 8, ratio: ofDelivered - ofPlaced, subject, floor: "–" };
}

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  "scale: fleet: 200 schedules of one minute, first step, p50 in s": schedulesRow,
  "scale: fleet: a webhook, ms of the worker's processor": webhooksRow,
};

await printRow(rows, wanted);
process.exit(0);
