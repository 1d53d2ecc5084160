// Keys: what a fleet records is sealed, keys can be changed while runs go on, and who has another key leaves runs alone.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { startApi } from "../../../../test/resilience/api.ts";
import { until } from "../../../../test/support/until.ts";
import type { DoctorAnswer } from "../../../services/doctor/index.ts";
import type { RunsAnswer } from "../../../services/runs/runs.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { sealSourcesAnew } from "../postgres/sources.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { cluster, freshDatabase, hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";
import { BEFORE_SOURCES_BY_KEY } from "./older-tables.ts";

const NEW_KEY = "n".repeat(64);
const ROTATED = { SEGNO_SEAL_KEY: `${NEW_KEY},${SEAL_KEY}` };
const ONLY_NEW = { SEGNO_SEAL_KEY: NEW_KEY };

const GATE = `
workflow: { name: gated, entry_point: say, input: { word: { type: string }, token: { type: string, secret: true, required: false } } }
agents:
  - { name: say, type: script, command: echo, args: ["{{ workflow.input.word }}"], routes: [{ to: ask }] }
  - name: ask
    type: human_gate
    prompt: "Ship {{ workflow.input.word }}?"
    options: [{ label: "Yes", value: "yes", route: $end, prompt_for: reason }]
output: { said: "{{ say.output.stdout | trim }}", reason: "{{ ask.output.additional_input.reason }}" }
`;

/** Asks about each item, and each item is called by what it is. */
const ASKS_EACH = `
workflow: { name: asking, entry_point: each, input: { list: { type: array } } }
agents: []
for_each:
  - name: each
    type: for_each
    source: workflow.input.list
    as: n
    key_by: n.id
    agent:
      name: ask
      type: human_gate
      prompt: "Go on?"
      options: [{ label: "Yes", value: "yes", route: $end }]
    routes: [{ to: $end }]
`;

const letters = (url: string): string => `
workflow: { name: fragile, entry_point: each, resilience: { dead_letter: true }, input: { list: { type: array } } }
agents: []
for_each:
  - name: each
    type: for_each
    source: workflow.input.list
    as: n
    key_by: n.id
    failure_mode: continue_on_error
    agent: { name: item, type: http, url: "${url}/{{ n.id }}", timeout: 60 }
    routes: [{ to: $end }]
`;

/** The whole database as text, as whoever steals a backup has it. */
function dump(url: string): string {
  const root = "/usr/lib/postgresql";
  const version = existsSync(root) ? readdirSync(root).at(-1) : undefined;
  const program = version === undefined ? "pg_dump" : `${root}/${version}/bin/pg_dump`;
  const { stdout, stderr, status } = spawnSync(program, [url], { encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** The ids of the keys that a run's events are sealed with, in order. */
async function keysOf(url: string, runId: string): Promise<readonly string[]> {
  const rows = await (await cluster()).sql(
    `select split_part(data, ':', 3) as key from segno.events where run_id = '${runId}' order by first_seq`,
    url,
  );
  return rows.map(({ key }) => String(key));
}

describe.skipIf(!hasPostgres)("what a fleet records", () => {
  it("stands nowhere in a dump of the database: inputs, outputs, secrets, letters, answers, firings", async () => {
    const api = await startApi({ isUp: false });
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    fleet.write("letter.yaml", letters(api.url));
    await fleet.worker();
    const { run_id } = await fleet.json(["run", "gate.yaml", "-i", "word=pomegranate", "-i", "token=tangerine"]);
    const answered = await fleet.json(["gate", "answer", run_id ?? "", "yes", "-i", "reason=mulberry"]);
    expect(answered).toMatchObject({ output: { said: "pomegranate", reason: "mulberry" } });
    await fleet.json(["run", "letter.yaml", "-i", 'list=[{"id":"persimmon"}]']);
    const { letters: kept } = await fleet.json<{ letters: object[] }>(["dlq", "list"]);
    expect(kept).toMatchObject([{ item_key: "persimmon" }]);
    // The key of an item is data as well, wherever something is kept by it.
    fleet.write("asks.yaml", ASKS_EACH);
    const asks = await fleet.json(["run", "asks.yaml", "-i", 'list=[{"id":"clementine"}]']);
    expect(asks.status).toBe("paused");
    const gates = await fleet.json<{ gates: object[] }>(["gate", "list"]);
    expect(JSON.stringify(gates)).toContain("clementine");
    expect(dump(fleet.url)).not.toContain("clementine");
    expect(await fleet.json(["gate", "answer", asks.run_id ?? "", "yes"])).toMatchObject({ status: "completed" });
    const store = await openPostgresStore(fleet.url, { home: fleet.folder, sealKey: SEAL_KEY });
    await store.state.firings?.record({
      runId: newRunId(),
      trigger: "hook",
      at: Date.now(),
      depth: 0,
      marks: [{ name: "kumquat" }],
      body: { inputs: { fruit: "kumquat" } },
    });
    await store.close();
    const text = dump(fleet.url);
    // It is the database that the run is in.
    expect(text).toContain(run_id);
    for (const word of ["pomegranate", "tangerine", "mulberry", "persimmon", "clementine", "kumquat", SEAL_KEY])
      expect(text.includes(word), word).toBe(false);
  });

  it("is read and gone on with under a new key, with which all that is new is sealed", async () => {
    const fleet = await TestFleet.start();
    // Without a secret: a run that has some is written anew when they are forgotten, all of it under the new key.
    fleet.write("gate.yaml", GATE.replace(", token: { type: string, secret: true, required: false }", ""));
    const old = await fleet.worker();
    const { run_id } = await fleet.json(["run", "gate.yaml", "-i", "word=pomegranate"]);
    const runId = run_id ?? "";
    const [oldKey] = new Set(await keysOf(fleet.url, runId));
    await old.leave();
    await fleet.worker(ROTATED);
    expect(await fleet.json(["show", runId], ROTATED)).toMatchObject({ status: "paused" });
    const answered = await fleet.json(["gate", "answer", runId, "yes", "-i", "reason=why"], ROTATED);
    expect(answered).toMatchObject({ status: "completed", output: { said: "pomegranate", reason: "why" } });
    const keys = [...new Set(await keysOf(fleet.url, runId))];
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(oldKey);
    const { run_id: next } = await fleet.json(["run", "gate.yaml", "-i", "word=x"], ROTATED);
    expect(new Set(await keysOf(fleet.url, next ?? ""))).toEqual(new Set([keys[1]]));
    // Until when the old one has to stay is said, and so is what somebody lacks who has only that one.
    const sealOf = async (env = {}) =>
      (await fleet.json<DoctorAnswer>(["doctor"], env)).checks.find(({ name }) => name === "fleet.seal")?.message;
    expect(await sealOf(ROTATED)).toContain(`(key ${keys[1]}); 1 run needs the key ${oldKey}, which is behind it`);
    expect(await sealOf()).toContain(`(key ${oldKey}); 2 runs need the key ${keys[1]}, which is not there`);
  });

  it("is gone on with by a worker that seals with a newer key, and who has only the old one is told what was placed", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    await fleet.worker(ROTATED);
    const run = await fleet.place("gate.yaml", "-i", "word=pomegranate");
    await until(async () => (await fleet.statusOf(run)) === "paused");
    const followed = await fleet.json(["run", "gate.yaml", "-i", "word=x"]);
    expect(followed.error).toMatch(
      /^What was asked is placed and the run \w{26} (?:goes on|is paused), but it cannot be followed from here\. What was recorded is sealed with the key [0-9a-f]{8}/,
    );
    const runId = followed.run_id ?? "";
    expect(followed.error).toContain(`the run ${runId} `);
    expect(followed.error).toContain("in front if it is the newer one");
    // It has not failed, and nobody should have it done twice.
    expect(followed).toMatchObject({
      status: expect.stringMatching(/^(queued|running|paused)$/),
      success: false,
      exit_code: 1,
      errors: [{ retryable: false }],
    });
    expect(await fleet.allEnded([run, runId])).toEqual(["paused", "paused"]);
  });

  it("is run anew where it was cached under a key that was taken away", async () => {
    const url = await freshDatabase();
    const cacheOf = async (sealKey: string) => {
      const store = await openPostgresStore(url, { home: "/nonexistent", sealKey });
      onTestFinished(() => store.close());
      return store.state.cache;
    };
    await (await cacheOf(SEAL_KEY)).put("hash", "old");
    const cache = await cacheOf(NEW_KEY);
    expect(await cache.get("hash")).toBeUndefined();
    await cache.put("hash", "new");
    expect(await cache.get("hash")).toEqual({ value: "new" });
  });

  it("is waited for in words when no worker has the key, and each worker says so once", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const strange = await fleet.worker(ONLY_NEW);
    const following = fleet.follow(["run", "gate.yaml", "-i", "word=pomegranate"]);
    await until(() => following.said().includes("No worker that is there can read the run"));
    expect(following.said()).toMatch(/sealed with the key [0-9a-f]{8}, and their SEGNO_SEAL_KEY is another/);
    // It has come back from the queue more than once.
    const drives = async () => (await fleet.sql("select max(drive) as n from segno.runs"))[0]?.n;
    await until(async () => {
      await fleet.hurry();
      return Number(await drives()) >= 4;
    });
    expect(strange.said().match(/is left to other workers/g)).toHaveLength(1);
    await strange.leave();
    await fleet.worker();
    expect(await following.ended).toBe(4);
    expect(following.said().match(/No worker that is there/g)).toHaveLength(1);
  });

  it("is left to others by a worker that has another key, which says so", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const strange = await fleet.worker(ONLY_NEW);
    const run = await fleet.place("gate.yaml", "-i", "word=pomegranate");
    await until(() => strange.said().includes(`Run ${run} is left to other workers.`));
    expect(strange.said()).toMatch(/sealed with the key [0-9a-f]{8}, and SEGNO_SEAL_KEY has [0-9a-f]{8}/);
    expect(await fleet.statusOf(run)).toBe("underway");
    const { runs } = await fleet.json<RunsAnswer>(["runs"]);
    expect(runs).toMatchObject([
      { status: "queued", waits_because: expect.stringMatching(/^no worker .* has its key [0-9a-f]{8}$/) },
    ]);
    const { warnings } = await fleet.json(["show", run]);
    expect(warnings).toMatchObject([{ message: expect.stringMatching(/^No worker that is there can read the run/) }]);
    const another = await fleet.workerProcess(ONLY_NEW);
    expect(await another.ended).toBe(1);
    expect(another.said()).toMatch(/sealed with the key/);
    await fleet.workerProcess();
    await until(async () => (await fleet.statusOf(run)) === "paused");
  });

  it("takes nothing from who has a key that it does not know, and the new key of who has the old one as well", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const worker = await fleet.worker();
    const { run_id } = await fleet.json(["run", "gate.yaml", "-i", "word=pomegranate"]);
    const known = (await keysOf(fleet.url, run_id ?? ""))[0];
    const place = ["run", "gate.yaml", "--detach", "-i", "word=x"];
    const { sql } = await cluster();
    const isRefused = async () => {
      const { success, error } = await fleet.json(place, ONLY_NEW);
      expect(success).toBe(false);
      expect(error).toMatch(
        new RegExp(`sealed with the key ${known}, and SEGNO_SEAL_KEY here has [0-9a-f]{8}.* Nothing was placed`),
      );
      expect(await sql("select 1 from segno.runs", fleet.url)).toHaveLength(1);
    };
    await isRefused();
    await worker.leave();
    await isRefused();
    const store = await openPostgresStore(fleet.url, { home: fleet.folder, sealKey: NEW_KEY });
    onTestFinished(() => store.close());
    const firing = { runId: newRunId(), trigger: "hook", at: Date.now(), depth: 0, marks: [], body: {} };
    await expect(store.state.firings?.record(firing)).rejects.toThrow(/SEGNO_SEAL_KEY/);
    expect(await fleet.json(place, ROTATED)).toMatchObject({ status: "queued" });
  });

  it("keeps no worker from starting that has not the key of the newest run, and says whose key it is", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const before = await fleet.worker();
    const { run_id: ours } = await fleet.json(["run", "gate.yaml", "-i", "word=pomegranate"]);
    await before.leave();
    const { run_id: strange } = await fleet.json(["run", "gate.yaml", "--detach", "-i", "word=x"], ROTATED);
    const worker = await fleet.worker();
    await until(() => worker.said().includes(`Run ${strange} is left to other workers.`));
    const shown = await fleet.segno(["show", strange ?? ""]);
    expect(shown.stdout + shown.stderr).toMatch(/sealed with the key [0-9a-f]{8}, and SEGNO_SEAL_KEY has [0-9a-f]{8}/);
    expect(shown.stdout + shown.stderr).not.toContain("it was changed");
    expect(await fleet.json(["gate", "answer", ours ?? "", "yes", "-i", "reason=why"])).toMatchObject({
      status: "completed",
    });
  });

  it("is listed beside what somebody with another key left there, which is named", async () => {
    const url = await freshDatabase();
    const open = async (sealKey: string) => {
      const store = await openPostgresStore(url, { home: "/nonexistent", sealKey });
      onTestFinished(() => store.close());
      return store;
    };
    const [ours, theirs] = [await open(SEAL_KEY), await open(NEW_KEY)];
    const [good, strange] = [newRunId(), newRunId()];
    for (const [store, runId] of [
      [ours, good],
      [theirs, strange],
    ] as const) {
      await store.createRun({ runId, workflow: "w", file: "/w.yaml", durability: "process" });
      await store.state.gates.present(runId, "ask#1", { prompt: "?" });
      await store.state.firings?.record({ runId, trigger: "hook", at: 1, depth: 0, marks: [], body: {} });
    }
    expect((await ours.state.gates.pending()).map(({ runId }) => runId)).toEqual([good]);
    expect((await ours.state.firings?.list())?.map(({ runId }) => runId)).toEqual([good]);
    expect([...ours.leftOut]).toEqual(Array(2).fill(expect.stringMatching(/sealed with the key/)));
    // Nothing of theirs keeps triggers from being driven, also when there is nothing else.
    await ours.state.firings?.settle(good, "ended");
    expect(await ours.state.firings?.list({ status: "fired" })).toEqual([]);
    // Who can read nothing has the wrong key.
    await expect(ours.state.gates.pending(strange)).rejects.toThrow(/SEGNO_SEAL_KEY has/);
  });

  it("is read with the key of each run, also when others have run the same file with another, and after these are gone", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const run = ["run", "gate.yaml", "-i", "word=x"];
    const answer = (runId: string | null, env = {}) =>
      fleet.json(["gate", "answer", runId ?? "", "yes", "-i", "reason=why"], env);
    const old = await fleet.worker();
    const { run_id: first } = await fleet.json(run);
    expect(await answer(first)).toMatchObject({ status: "completed" });
    const { run_id: waits } = await fleet.json(run);
    await old.leave();
    const between = await fleet.worker(ROTATED);
    const { run_id: later } = await fleet.json(run, ROTATED);
    await fleet.json(["runs", "prune", "--keep", "0", "--yes"], ROTATED);
    await between.leave();
    const only = await fleet.worker(ONLY_NEW);
    expect(await fleet.json(["show", later ?? ""], ONLY_NEW)).toMatchObject({ status: "paused" });
    expect(await answer(later, ONLY_NEW)).toMatchObject({ status: "completed" });
    expect(await fleet.json(["show", waits ?? ""])).toMatchObject({ status: "paused" });
    // What nobody needs any more is gone: the text under the old key once its last run is, and then the other.
    const kept = async () => (await fleet.sql("select 1 from segno.sources")).length;
    expect(await kept()).toBe(2);
    await only.leave();
    await fleet.worker();
    expect(await answer(waits)).toMatchObject({ status: "completed" });
    // A run that has just ended is held for another moment, in which its secrets are forgotten.
    await until(async () => (await fleet.sql("select 1 from segno.leases where holder is not null")).length === 0);
    expect(await fleet.json(["runs", "prune", "--keep", "1", "--yes"], ROTATED)).toMatchObject({ removed: [waits] });
    expect(await kept()).toBe(1);
    expect(await fleet.json(["show", later ?? ""], ONLY_NEW)).toMatchObject({ status: "completed" });
  });

  const scene = async () => {
    const url = await freshDatabase();
    const { sql } = await cluster();
    const sources = new Map([["/w.yaml", "the same text"]]);
    const open = async (sealKey?: string) => {
      const store = await openPostgresStore(url, { home: "/nonexistent", ...(sealKey ? { sealKey } : {}) });
      onTestFinished(() => store.close());
      return store;
    };
    const place = async (sealKey?: string) => {
      const store = await open(sealKey);
      const runId = newRunId();
      await sql("update segno.runs set request = null", url);
      await store.fleet.begin(
        { runId, workflow: "w", file: "/w.yaml", durability: "process" },
        { request: {}, pins: { drive: 1, sources } },
      );
      return runId;
    };
    const pinnedOf = async (runId: string, sealKey?: string) =>
      (await (await (await open(sealKey)).readRun(runId)).pinned()).get("/w.yaml");
    return { url, sql, open, place, pinnedOf };
  };

  it("is pinned under the key of each run, and nobody takes a text away that another run needs", async () => {
    const { place, pinnedOf } = await scene();
    const runs = [];
    for (const key of [NEW_KEY, SEAL_KEY, undefined, `${NEW_KEY},${SEAL_KEY}`])
      runs.push([await place(key), key?.split(",")[0]] as const);
    for (const [runId, key] of runs) expect(await pinnedOf(runId, key)).toBe("the same text");
    await expect(pinnedOf(runs[0]![0], SEAL_KEY)).rejects.toThrow(/SEGNO_SEAL_KEY/);
  });

  it("of an older Segno is sealed anew with the key of its run while the older key is still there", async () => {
    const { url, sql, open, place, pinnedOf } = await scene();
    const runId = await place(SEAL_KEY);
    const later = await place(ROTATED.SEGNO_SEAL_KEY);
    const inUse = async () => Object.fromEntries(await (await open(NEW_KEY)).fleet.keysInUse());
    const [newId, oldId] = (await open(ROTATED.SEGNO_SEAL_KEY)).fleet.keysHere as readonly [string, string];
    expect(await inUse()).toEqual({ [oldId]: 1, [newId]: 1 });
    // As it was written: one text for all, under the key of whoever came first.
    const { sealedWith } = (await open(NEW_KEY)).fleet;
    await sql(`delete from segno.sources where data like 'sealed:1:${sealedWith}:%'`, url);
    await sql(BEFORE_SOURCES_BY_KEY, url);
    await expect(pinnedOf(later, NEW_KEY)).rejects.toThrow(/SEGNO_SEAL_KEY/);
    expect(await pinnedOf(later, ROTATED.SEGNO_SEAL_KEY)).toBe("the same text");
    expect(await inUse()).toEqual({ [oldId]: 2, [newId]: 1 });
    const { database, seal } = (await open(ROTATED.SEGNO_SEAL_KEY)).access;
    await sealSourcesAnew(database, seal);
    expect(await pinnedOf(later, NEW_KEY)).toBe("the same text");
    expect(await pinnedOf(runId, SEAL_KEY)).toBe("the same text");
    expect(await inUse()).toEqual({ [oldId]: 1, [newId]: 1 });
  });

  it("is found in the cache by who can open it, and made anew by who cannot", async () => {
    const { open } = await scene();
    const [ours, theirs, plain] = [await open(SEAL_KEY), await open(NEW_KEY), await open()];
    const hash = "0".repeat(64);
    await plain.state.cache.put(hash, { by: "nobody" });
    expect(await ours.state.cache.get(hash)).toBeUndefined();
    await ours.state.cache.put(hash, { by: "us" });
    expect(await ours.state.cache.get(hash)).toEqual({ value: { by: "us" } });
    expect(await theirs.state.cache.get(hash)).toBeUndefined();
    expect(await plain.state.cache.get(hash)).toBeUndefined();
  });
});
