// What users meet when disks, files and other processes misbehave: a sentence, and never half a run that looks whole.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  freshFolder,
  freshStore,
  openTestStore,
  output,
  program,
  someRun,
  start,
} from "../../../test/support/stores/homes.ts";
import { newRunId } from "../run-index.ts";
import { openFile } from "../sqlite/open.ts";
import { StoreError, type StoreFault } from "../store-error.ts";

function fault(work: () => unknown): StoreFault {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    expect((error as StoreError).message).toMatch(/^[A-Z"/].*\S$/s);
    return (error as StoreError).code;
  }
  throw new Error("it should have failed");
}

function finishedRun(events = 3) {
  const store = freshStore();
  // Flushed at the end, so that all of it is in one file.
  const run = store.createRun({ ...someRun(), durability: "power" });
  for (let seq = 1; seq <= events; seq += 1) run.append([output(seq, "x".repeat(500))]);
  run.release();
  return { store, runId: run.runId, folder: run.folder, journal: join(run.folder, "journal.db") };
}

test("a log that was cut off loses its last batches, whole ones, and can be gone on with", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  for (let seq = 1; seq <= 40; seq += 2) run.append([output(seq, "a"), output(seq + 1, "b")]);
  // As a crash leaves it: the files are copied while the run is open.
  const crashed = join(store.home, "runs", newRunId());
  cpSync(run.folder, crashed, { recursive: true });
  const log = join(crashed, "journal.db-wal");
  truncateSync(log, readFileSync(log).length - 6000);
  rmSync(join(crashed, "journal.db-shm"), { force: true });

  const connection = openFile(join(crashed, "journal.db"), { busyMs: 100 });
  connection.exec("DELETE FROM lease");
  connection.close();
  const taken = store.openRun(crashed.slice(-26));
  const seqs = [...taken.events()].map((event) => event.seq);
  expect(seqs.length).toBeGreaterThan(20);
  expect(seqs.length).toBeLessThan(40);
  expect(seqs.length % 2).toBe(0);
  taken.append([output(taken.lastSeq + 1, "on")]);
});

test("garbage where the journal was is said to be garbage", () => {
  const { store, runId, journal } = finishedRun();
  writeFileSync(journal, "this is not a database ".repeat(300));
  expect(fault(() => store.readRun(runId))).toBe("corrupt");
  expect(fault(() => store.openRun(runId))).toBe("corrupt");
});

test("a journal with a torn page gives no events from there on", () => {
  const { store, runId, journal } = finishedRun(400);
  const bytes = readFileSync(journal);
  bytes.fill(0xab, 20 * 4096, 40 * 4096);
  writeFileSync(journal, bytes);
  const reader = store.readRun(runId);
  expect(fault(() => [...reader.events()])).toBe("corrupt");
  reader.close();
});

test("an empty or half-made journal is not taken for a run", () => {
  const { store, runId, journal } = finishedRun();
  writeFileSync(journal, "");
  expect(fault(() => store.readRun(runId))).toBe("corrupt");
  expect(fault(() => store.openRun(runId))).toBe("corrupt");
});

test("a journal that is gone is missing, and is not made anew", () => {
  const { store, runId, journal } = finishedRun();
  rmSync(journal);
  expect(fault(() => store.readRun(runId))).toBe("missing");
  expect(fault(() => store.openRun(runId))).toBe("missing");
  expect(existsSync(journal)).toBe(false);
});

test("a folder in the place of a file is named", () => {
  const { store, runId, journal } = finishedRun();
  rmSync(journal);
  mkdirSync(journal);
  expect(() => store.readRun(runId)).toThrow(/a folder where a file should be/);
  const other = freshStore();
  mkdirSync(join(other.home, "state.db"), { recursive: true });
  expect(() => other.runs()).toThrow(/a folder where a file should be/);
  expect(fault(() => other.createRun(someRun()))).toBe("io");
  expect(readdirSync(join(other.home, "runs"))).toEqual([]);
});

test("a file in the place of the home is named", () => {
  const home = join(freshFolder(), "home");
  writeFileSync(home, "");
  expect(fault(() => openTestStore(home).createRun(someRun()))).toBe("io");
  expect(fault(() => openTestStore(home).runs())).toBe("io");
});

test("a store of a newer Segno is refused, and stays as it is", () => {
  const { store, runId, journal } = finishedRun();
  store.close();
  for (const path of [journal, join(store.home, "state.db")]) {
    const connection = openFile(path, { busyMs: 100 });
    connection.exec("PRAGMA file.user_version=99");
    connection.close();
  }
  expect(() => store.readRun(runId)).toThrow(/newer Segno \(format 99; this one knows up to 3\)/);
  expect(fault(() => store.openRun(runId))).toBe("newer");
  expect(fault(() => store.runs())).toBe("newer");
});

test("state.db that another process holds too long is locked, and usable afterwards", async () => {
  const store = freshStore({ busyMs: 50 });
  store.createRun(someRun()).release();
  const holder = start(
    program(`
      store.state.atOnce(() => {
        say("holding");
        // Stays inside the transaction until it is killed.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);
      });
    `),
    store.home,
  );
  expect(await holder.line()).toBe("holding");
  expect(fault(() => store.state.breakers.update("b", () => 1))).toBe("locked");
  expect(fault(() => store.state.gates.present("r", "g", {}))).toBe("locked");
  expect(fault(() => store.createRun(someRun()))).toBe("locked");
  expect(readdirSync(join(store.home, "runs"))).toHaveLength(1);
  holder.child.kill("SIGKILL");
  await holder.ended;
  store.state.gates.present("r", "g", {});
  store.createRun(someRun()).release();
  expect(openTestStore(store.home).state.gates.pending()).toHaveLength(1);
});

const canMount = process.platform === "linux" && process.getuid?.() === 0 && mounts();

function mounts(): boolean {
  const folder = `/tmp/segno-can-mount-${process.pid}`;
  mkdirSync(folder);
  const ok = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", folder]).status === 0;
  if (ok) spawnSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return ok;
}

describe.skipIf(!canMount)("on a small disk", () => {
  function disk(size: string) {
    const folder = freshFolder();
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", folder]);
    onTestFinished(() => {
      spawnSync("umount", ["-l", folder]);
    });
    return {
      home: join(folder, "home"),
      remount: (how: string) => spawnSync("mount", ["-o", `remount,${how}`, folder]),
    };
  }

  test("a full disk stops the run with a sentence, and all before it is there", () => {
    const { home, remount } = disk("1m");
    const store = openTestStore(home);
    const run = store.createRun(someRun());
    let seq = 0;
    const fill = () => {
      for (;;) {
        run.append([output(seq + 1, "x".repeat(3000))]);
        seq += 1;
      }
    };
    expect(fault(fill)).toBe("full");
    expect(run.lastSeq).toBe(seq);
    expect(fault(() => run.append([output(seq + 1, { big: "y".repeat(200_000) })]))).toBe("full");
    expect(fault(() => openTestStore(home).createRun(someRun()))).toBe("full");
    expect(readdirSync(join(home, "runs"))).toEqual([run.runId]);
    expect(fault(() => run.appendErrors("e".repeat(300_000)))).toBe("full");
    expect(readFileSync(join(run.folder, "errors.jsonl"), "utf8")).toBe("");

    remount("size=4m");
    run.append([output(seq + 1, "room again")]);
    run.release();
    const reader = store.readRun(run.runId);
    expect([...reader.events()]).toHaveLength(seq + 1);
    reader.close();
  });

  test("a read-only home can be read, and says why it cannot be written", () => {
    const { home, remount } = disk("4m");
    const writer = openTestStore(home);
    const run = writer.createRun(someRun());
    run.append([output(1, "a")]);
    run.release();
    writer.close();
    remount("ro");
    const store = openTestStore(home);
    expect(store.runs()).toHaveLength(1);
    const reader = store.readRun(run.runId);
    expect([...reader.events()]).toHaveLength(1);
    reader.close();
    expect(fault(() => store.createRun(someRun()))).toBe("readonly");
    expect(fault(() => store.openRun(run.runId))).toBe("readonly");
    expect(fault(() => store.state.breakers.update("b", () => 1))).toBe("readonly");
    remount("rw");
  });
});
