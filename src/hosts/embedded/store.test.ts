import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRunId } from "../run-id.ts";
import { StoreError } from "../store-error.ts";
import { freshStore, openTestStore, output, someRun } from "./testing/homes.ts";

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test("what was appended comes back in order, whole or from a number on", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.append([output(1, "a"), output(2, "b"), output(3, "c")]);
  run.append([output(4, "d")]);
  expect(run.lastSeq).toBe(4);
  run.release();

  const reader = store.readRun(run.runId);
  expect([...reader.events()].map((event) => event.seq)).toEqual([1, 2, 3, 4]);
  expect([...reader.events(2)].map((event) => event.seq)).toEqual([3, 4]);
  expect([...reader.events(4)]).toEqual([]);
  expect(reader.lastSeq).toBe(4);
  expect(reader.meta).toMatchObject({ workflow: "release", durability: "process" });
  reader.close();
});

test("more batches than are read at a time come back without a gap", () => {
  const run = freshStore().createRun(someRun());
  for (let seq = 1; seq <= 901; seq += 2) run.append([output(seq, seq), output(seq + 1, null)]);
  expect([...run.events(77)].map((event) => event.seq)).toEqual(Array.from({ length: 902 - 77 }, (_, at) => at + 78));
});

test("a run that goes on is appended to where it ended", () => {
  const store = freshStore();
  const first = store.createRun(someRun());
  first.append([output(1, "a")]);
  first.release();
  const second = store.openRun(first.runId);
  expect(second.lastSeq).toBe(1);
  expect(second.takenOver).toBeUndefined();
  second.append([output(2, "b")]);
  expect([...second.events()]).toHaveLength(2);
});

test("events that leave a gap are refused", () => {
  const run = freshStore().createRun(someRun());
  expect(() => run.append([output(2, "b")])).toThrow("does not follow");
});

test("nothing is made before something is written, and then only its user can read it", () => {
  const store = freshStore();
  expect(existsSync(store.home)).toBe(false);
  const run = store.createRun(someRun());
  run.append([output(1, { big: "x".repeat(100_000) })]);
  run.saveSecrets({ token: "t" });
  run.exportEvents(() => "{}\n", 3);
  run.appendErrors("{}");
  run.flush();
  expect(mode(store.home)).toBe("700");
  expect(mode(join(store.home, "runs"))).toBe("700");
  expect(mode(run.folder)).toBe("700");
  expect(mode(join(store.home, "state.db"))).toBe("600");
  for (const name of readdirSync(run.folder))
    expect([name, mode(join(run.folder, name))]).toEqual([name, name === "blobs" ? "700" : "600"]);
  expect(readdirSync(run.folder).sort()).toEqual(
    ["blobs", "errors.jsonl", "events.jsonl", "journal.db", "journal.db-shm", "journal.db-wal", "secrets.json"].sort(),
  );
});

test("a released run is flushed and tidied when power cuts count, and by the next reader otherwise", () => {
  const store = freshStore();
  const filesAfter = (durability: "process" | "power") => {
    const run = store.createRun({ ...someRun(), durability });
    run.append([output(1, 1)]);
    run.release();
    return { run, files: readdirSync(run.folder) };
  };
  expect(filesAfter("power").files).toEqual(["journal.db"]);
  const { run, files } = filesAfter("process");
  expect(files).toContain("journal.db-wal");
  const reader = store.readRun(run.runId);
  expect([...reader.events()]).toHaveLength(1);
  reader.close();
  expect(readdirSync(run.folder)).toEqual(["journal.db"]);
});

test("secrets and pinned files come back", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  expect(run.secrets()).toEqual({});
  expect(run.pinned().size).toBe(0);
  run.saveSecrets({ token: "s3cret", nested: { a: [1] } });
  run.pin(
    1,
    new Map([
      ["a.yaml", "one"],
      ["b.md", "zero \u0000 inside"],
    ]),
  );
  run.pin(2, new Map([["a.yaml", "two"]]));
  run.release();
  const reader = store.readRun(run.runId);
  expect(reader.secrets()).toEqual({ token: "s3cret", nested: { a: [1] } });
  expect(reader.pinned(1)).toEqual(
    new Map([
      ["a.yaml", "one"],
      ["b.md", "zero \u0000 inside"],
    ]),
  );
  expect(reader.pinned()).toEqual(new Map([["a.yaml", "two"]]));
  reader.close();
});

test("a run is found by the beginning of its id, if that says which", () => {
  const store = freshStore();
  const one = newRunId(1_700_000_000_000, new Uint8Array(10).fill(1));
  const two = newRunId(1_700_000_000_000, new Uint8Array(10).fill(200));
  for (const runId of [one, two]) store.createRun(someRun(runId)).release();
  expect(store.findRun(one)).toBe(one);
  expect(store.findRun(one.slice(0, 14).toLowerCase())).toBe(one);
  expect(store.findRun("7ZZ")).toBeUndefined();
  expect(store.findRun("release.yaml")).toBeUndefined();
  expect(() => store.findRun(one.slice(0, 5))).toThrow(/Several runs begin with/);
});

test("an unknown run is said to be unknown", () => {
  const store = freshStore();
  expect(() => store.readRun(newRunId())).toThrow(/There is no run/);
  expect(() => store.openRun("../../etc")).toThrow(/is not the id of a run/);
});

test("the index tells how runs stand, newest first", () => {
  let now = 1_000_000;
  const store = freshStore({ now: () => now });
  const ids = ["release", "release", "nightly"].map((workflow) => {
    now += 1000;
    const run = store.createRun({ ...someRun(newRunId(now)), workflow });
    if (workflow === "release")
      run.setStatus("failed", {
        failingKind: "http.status",
        exitCode: 3,
        resumable: true,
        costUsd: 0.5,
        durationMs: 12,
      });
    run.release();
    return run.runId;
  });
  expect(store.runs().map((run) => run.runId)).toEqual([...ids].reverse());
  expect(store.runs({ status: "failed", limit: 1 })).toEqual([
    expect.objectContaining({
      runId: ids[1],
      failingKind: "http.status",
      exitCode: 3,
      resumable: true,
      costUsd: 0.5,
      durationMs: 12,
      crashed: false,
    }),
  ]);
  expect(store.runs({ status: ["paused", "running"] }).map((run) => run.workflow)).toEqual(["nightly"]);
  expect(store.newestRun({ workflow: "release" })?.runId).toBe(ids[1]);
  expect(store.newestRun({ resumable: true })?.runId).toBe(ids[1]);
  expect(store.newestRun({ file: "/other.yaml" })).toBeUndefined();
});

test("old runs are pruned, those that run are not", () => {
  let now = 1_000_000;
  const store = freshStore({ now: () => now });
  const runs = Array.from({ length: 6 }, () => {
    now += 1000;
    return store.createRun(someRun(newRunId(now)));
  });
  const [driven, ...rest] = runs;
  for (const run of rest) {
    run.setStatus("completed");
    run.release();
  }
  expect(store.prune({ keep: 2, dryRun: true })).toHaveLength(3);
  expect(store.runs()).toHaveLength(6);
  const pruned = store.prune({ keep: 2 });
  expect(pruned.sort()).toEqual(rest.slice(0, 3).map((run) => run.runId));
  expect(store.runs().map((run) => run.runId)).toEqual([runs[5]!.runId, runs[4]!.runId, driven!.runId]);
  expect(readdirSync(join(store.home, "runs")).sort()).toEqual([driven!.runId, runs[4]!.runId, runs[5]!.runId].sort());
  driven!.append([output(1, "still here")]);
});

test("a run that still waits for somebody is not pruned: for an answer, or for its letters to be tried again", () => {
  let now = 1_000_000;
  const store = freshStore({ now: () => now });
  const [asking, lettered, done] = Array.from({ length: 4 }, (_, at) => {
    now += 1000;
    const run = store.createRun(someRun(newRunId(now)));
    run.setStatus(at === 0 ? "paused" : "degraded");
    run.release();
    return run;
  });
  const letter = { workflow: "nightly", node: "send", kind: "external.mail", body: {} };
  store.state.letters.put({ id: "L1", runId: lettered!.runId, place: "send", ...letter });
  store.state.letters.put({ id: "L2", runId: done!.runId, place: "send", ...letter });
  store.state.letters.setStatus(["L2"], "resolved");
  expect(store.prune({ keep: 1 })).toEqual([done!.runId]);
  expect(store.runs().map((run) => run.runId)).toEqual(expect.arrayContaining([asking!.runId, lettered!.runId]));
});

test("a run that cannot be indexed leaves no half behind", () => {
  const store = freshStore({ busyMs: 20 });
  store.createRun(someRun()).release();
  const other = openTestStore(store.home);
  const attempt = () => other.state.breakers.update("x", () => store.createRun(someRun()));
  expect(attempt).toThrow(StoreError);
  expect(attempt).toThrow(/holds it locked/);
  expect(readdirSync(join(store.home, "runs"))).toHaveLength(1);
});

test("lists stay quick with 10 000 runs", () => {
  const store = freshStore();
  const base = store.createRun(someRun());
  base.setStatus("completed");
  base.release();
  const row = store.state.runs.get(base.runId)!;
  store.state.atOnce(() => {
    for (let at = 0; at < 10_000; at += 1)
      store.state.runs.put({ ...row, runId: newRunId(1_000_000 + at), status: at % 50 === 0 ? "failed" : "completed" });
  });
  expect(store.runs({ limit: 50 })).toHaveLength(50);
  expect(store.runs({ status: "failed" })).toHaveLength(200);
  expect(store.newestRun({ workflow: "unheard of" })).toBeUndefined();
});
