import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshStore, openTestStore, output, program, someRun, start } from "../../../test/support/stores/homes.ts";
import { newRunId } from "../run-index.ts";
import { doctorStore, reindex } from "./upkeep.ts";

const said = (home: string, name: string) => doctorStore(home).find((check) => check.name === name)!;

const summarize = () =>
  ({
    status: "failed",
    ended: null,
    driver: null,
    failingKind: "a.b",
    exitCode: 3,
    durationMs: 1,
    costUsd: null,
    resumable: true,
  }) as const;

test("a store that is not there yet is fine, and is not made by looking", () => {
  const { home } = freshStore();
  expect(doctorStore(home).filter((check) => !check.ok)).toEqual([]);
  expect(said(home, "writable").message).toContain("the first run makes it");
  expect(existsSync(home)).toBe(false);
});

test("a home that is a file is a fault, and no crash", () => {
  const { home } = freshStore();
  writeFileSync(home, "");
  expect(doctorStore(home).filter(({ ok }) => !ok)).toHaveLength(1);
});

test("a healthy store has nothing to complain of", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.append([output(1, "a")]);
  run.setStatus("completed");
  run.release();
  expect(doctorStore(store.home).filter((check) => !check.ok)).toEqual([]);
});

test("a run of a fleet that was followed from here is none of this home; one that lost its journal is missed", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.setStatus("completed");
  run.release();
  const copied = join(store.home, "runs", newRunId());
  mkdirSync(copied);
  writeFileSync(join(copied, "events.jsonl"), "{}\n");
  expect(doctorStore(store.home).filter((check) => !check.ok)).toEqual([]);
  rmSync(join(run.folder, "journal.db"));
  writeFileSync(join(run.folder, "events.jsonl"), "{}\n");
  expect(said(store.home, "index").message).toBe(`in the index without a journal: ${run.runId}`);
});

test("damage is found and named", () => {
  const store = freshStore();
  const run = store.createRun({ ...someRun(), durability: "power" });
  run.release();
  store.close();
  writeFileSync(join(run.folder, "journal.db"), "garbage ".repeat(1000));
  expect(said(store.home, "runs")).toMatchObject({ ok: false, message: expect.stringContaining(run.runId) });
  writeFileSync(join(store.home, "state.db"), "garbage ".repeat(1000));
  expect(said(store.home, "state")).toMatchObject({ ok: false, message: expect.stringContaining("damaged") });
});

test("a run left by its process is named, as one that can be resumed", async () => {
  const store = freshStore();
  const runId = newRunId();
  const dying = start(
    program(
      `store.createRun({ runId: args[0], workflow: "w", file: "f", durability: "process" }); process.kill(process.pid, "SIGKILL");`,
    ),
    store.home,
    runId,
  );
  await dying.ended;
  expect(said(store.home, "leases")).toMatchObject({ ok: true, message: expect.stringContaining(runId) });
});

test("an index that does not fit the folders is rebuilt from them", async () => {
  const store = freshStore();
  const [kept, lost, stray] = [someRun(), someRun(), someRun()].map((run) => store.createRun(run));
  for (const run of [kept!, lost!, stray!]) run.release();
  rmSync(lost!.folder, { recursive: true });
  store.state.runs.remove(stray!.runId);
  expect(said(store.home, "index")).toMatchObject({ ok: false, message: expect.stringContaining(lost!.runId) });
  expect(said(store.home, "index").message).toContain(stray!.runId);

  const result = await reindex(store.home, summarize);
  expect([...result.indexed].sort()).toEqual([kept!.runId, stray!.runId].sort());
  expect(result).toMatchObject({ removed: [lost!.runId], unreadable: [] });
  expect(said(store.home, "index").ok).toBe(true);
  expect(store.runs()).toHaveLength(2);
  expect(store.runs()[0]).toMatchObject({ workflow: "release", status: "failed", failingKind: "a.b" });
});

test("an index that a power cut has torn is found and made anew, and nothing else is touched", async () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.release();
  store.state.gates.present(run.runId, "ask#1", { prompt: "go?" });
  store.close();
  writeFileSync(join(store.home, "index.db"), "garbage ".repeat(1000));
  expect(said(store.home, "index")).toMatchObject({ ok: false, message: expect.stringContaining("index.db") });
  expect(said(store.home, "state").ok).toBe(true);
  const { movedTo, indexed } = await reindex(store.home, summarize);
  expect([movedTo, indexed]).toEqual([undefined, [run.runId]]);
  const again = openTestStore(store.home);
  expect(again.runs()).toMatchObject([{ runId: run.runId }]);
  expect(again.state.gates.pending()).toHaveLength(1);
});

test("a damaged state.db is moved away, and the runs are all there again", async () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.release();
  store.close();
  writeFileSync(join(store.home, "state.db"), "garbage ".repeat(1000));
  const { movedTo, indexed } = await reindex(store.home, summarize);
  expect(indexed).toEqual([run.runId]);
  expect(readdirSync(store.home)).toContain(movedTo!.slice(store.home.length + 1));
  expect(openTestStore(store.home).findRun(run.runId.slice(0, 20))).toBe(run.runId);
});
