// `npm run chaos -- --on postgres --faults N`: the database fails. It is restarted at once, connections are cut in the middle of
// a commit, the queue loses dispatches, notices do not arrive, and workers are killed in between. In the end every run has
// completed, and no step that was done ran again.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { randomFrom } from "../random.mjs";
import { faultsOf } from "./judge.mjs";
import { DEAD_MS, tellOf, WORKERS, Workers } from "./workers.mjs";

const SEAL_KEY = "c".repeat(64);
/** More would only wait for a place. */
const MOST_UNDERWAY = 20;
/** So long the last runs may take when nothing fails any more: several times what finding a lost one takes. */
const SETTLE_MS = 300_000;

const step = (name, next) => ({
  name,
  type: "script",
  command: "sh",
  args: ["-c", "sleep 0.1"],
  ...(next ? { routes: [{ to: next }] } : {}),
});

const WORK = JSON.stringify({
  workflow: { name: "work", entry_point: "a" },
  agents: [step("a", "b"), { name: "b", type: "set", value: "1", routes: [{ to: "c" }] }, step("c")],
  output: { done: "yes" },
});

/** Each gives what it did; `undefined` when there was nothing to do it to. */
const FAULTS = {
  restart: async ({ own }) => {
    own.stop("immediate");
    own.start();
  },
  "cut commit": async ({ proxy }) => proxy.loseNextCommit(),
  "cut answer": async ({ proxy }) => proxy.loseNextAnswer(),
  "cut all": async ({ proxy }) => proxy.cut(),
  // As if the answer to a claim was lost: a living worker has it, and does not know.
  "lost claim": async ({ database }) =>
    database.run(
      `update dbos.workflow_status set status = 'PENDING', started_at_epoch_ms = (extract(epoch from now()) * 1000)::bigint,
         executor_id = (select worker from segno.workers where not dead and labels like '%"kind":"worker"%' limit 1)
       where workflow_uuid in (select workflow_uuid from dbos.workflow_status where status = 'ENQUEUED' limit 1 for update skip locked)`,
    ),
  "lost notice": async ({ proxy }) => proxy.loseNextNotice(),
  "killed worker": async ({ workers }) => workers.lose("kill"),
  "lost dispatch": async ({ database }) =>
    database.run(
      `delete from dbos.workflow_status where workflow_uuid in
         (select workflow_uuid from dbos.workflow_status where status = 'ENQUEUED' limit 1 for update skip locked)`,
    ),
};

/** Gives how many things were wrong. */
export async function tormentDatabase({ ownCluster, openPostgresStore, runWorkflow, lossyProxy }, base, options) {
  const own = await ownCluster();
  const random = randomFrom(options.seed);
  const folder = join(base, "faults");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "work.yaml"), WORK);
  const url = await own.empty();
  const proxy = await lossyProxy(url);
  const store = await openPostgresStore(url, { home: join(folder, "look"), sealKey: SEAL_KEY, silenceMs: DEAD_MS });
  const { database } = store.access;
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NO_COLOR: "1",
    CI: "1",
    SEGNO_HOME: join(folder, "home"),
    SEGNO_SEAL_KEY: SEAL_KEY,
    SEGNO_BEAT_SECONDS: "0.5",
    SEGNO_DEAD_SECONDS: String(DEAD_MS / 1000),
  };
  const workers = new Workers(random, {
    program: resolve("dist/main.cjs"),
    cwd: folder,
    env: { ...env, SEGNO_ON: proxy.url },
    tell: tellOf(database),
    concurrency: 4,
  });
  const refused = [];
  const counts = {};
  const underway = async () =>
    Number((await database.rows("select count(*) as n from segno.runs where not drive_ended"))[0].n);
  const place = async () => {
    const { run_id, error } = await runWorkflow(
      { cwd: folder, env: { ...env, SEGNO_ON: url } },
      { file: join(folder, "work.yaml"), inputs: {} },
      { detach: true },
    );
    // A command does not wait for ever for a database that is away.
    if (run_id === null) refused.push(error);
  };
  let isOver = false;
  try {
    await workers.begin();
    const placing = (async () => {
      while (!isOver)
        if ((await underway()) >= MOST_UNDERWAY) await pause(50);
        else await place();
    })();
    for (let done = 0; done < options.faults; ) {
      await pause(random.between(100, 700));
      const name = random.pick(Object.keys(FAULTS));
      if ((await FAULTS[name]({ own, proxy, database, workers })) === 0) continue;
      counts[name] = (counts[name] ?? 0) + 1;
      done += 1;
    }
    isOver = true;
    await placing;
    const end = Date.now() + SETTLE_MS;
    while ((await underway()) > 0 && Date.now() < end) await pause(200);
    const runs = (await store.runs()).map(({ runId }) => runId);
    return report(await judged(store, runs), { runs, refused, counts, seed: options.seed });
  } finally {
    isOver = true;
    workers.end();
    await store.close().catch(() => {});
    proxy.close();
    own.close();
  }
}

async function judged(store, runs) {
  const faults = { repeated: [], gaps: [], misdated: [], unfinished: [] };
  for (const run of runs) {
    const events = [];
    for await (const event of (await store.readRun(run)).events()) events.push(event);
    for (const [kind, found] of Object.entries(faultsOf(run, events))) faults[kind].push(...found);
  }
  return faults;
}

function report({ repeated, gaps, unfinished }, { runs, refused, counts, seed }) {
  const wrong = [...repeated, ...gaps, ...unfinished];
  for (const one of wrong.slice(0, 20)) console.log(one);
  for (const one of new Set(refused)) console.log(`not placed: ${one}`);
  const told = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  console.log(`faults of the database, ${WORKERS} workers, D ${DEAD_MS / 1000} s (seed ${seed})
  faults                        ${told.join(", ")}
  runs                          ${runs.length}, ${unfinished.length} not completed
  steps repeated                ${repeated.length}
  gaps                          ${gaps.length}
  not placed                    ${refused.length}`);
  return wrong.length;
}
