import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshFolder, freshStore, openTestStore, output, someRun } from "../../../test/support/stores/homes.ts";
import { newRunId } from "../run-index.ts";
import { openFile, sqliteDriver } from "../sqlite/open.ts";
import { StoreError } from "../store-error.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { EmbeddedStore } from "./store.ts";

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

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

test("secrets that were forgotten are in no file of the run, on no free page and in no log, though somebody reads it", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.keepMet({ secrets: ["tok-abcdef"], shortSecrets: [] });
  // So many that the table grows beyond its first page, where they would be left.
  for (let seq = 1; seq <= 20; seq += 1) run.append([output(seq, `${"x".repeat(200)} tok-abcdef`)]);
  const reader = store.readRun(run.runId);
  const holding = (): string[] =>
    readdirSync(run.folder).filter((name) => readFileSync(join(run.folder, name)).includes("tok-abcdef"));
  expect(holding()).toContain("journal.db-wal");
  run.forgetSecrets((event) => JSON.parse(JSON.stringify(event).replaceAll("tok-abcdef", "<redacted>")));
  run.release();
  expect(holding()).toEqual([]);
  expect([...reader.events()]).toHaveLength(20);
  reader.close();
});

test("a run that cannot be indexed leaves no half behind", () => {
  const store = freshStore({ busyMs: 20 });
  store.createRun(someRun()).release();
  const other = openTestStore(store.home);
  const attempt = () => other.state.atOnce(() => store.createRun(someRun()));
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

test("the log of a run that is done is folded into its journal; one that can go on keeps it", () => {
  const store = freshStore();
  const files = (status: "completed" | "failed"): readonly string[] => {
    const run = store.createRun(someRun());
    run.append([output(1, "a")]);
    run.setStatus(status, { resumable: status === "failed" });
    run.release();
    return readdirSync(run.folder).filter((name) => name.startsWith("journal"));
  };
  expect(files("completed")).toEqual(["journal.db"]);
  expect(files("failed").toSorted()).toEqual(["journal.db", "journal.db-shm", "journal.db-wal"]);
  const [done] = store.runs({ status: "completed" });
  const again = store.openRun(done!.runId);
  again.release();
  expect(readdirSync(again.folder)).not.toContain("journal.db-wal");
});

test("a run is listed as done only when its events are in the file beside its journal", () => {
  const run = freshStore().createRun(someRun());
  run.append([output(1, "a")]);
  run.exportEvents(() => '{"seq":1}\n', 10);
  run.setStatus("completed");
  // As a process that is killed here leaves it.
  expect(readFileSync(join(run.folder, "events.jsonl"), "utf8")).toBe('{"seq":1}\n');
  run.release();
});

/** Ended runs, oldest first. */
function endedRuns(store: EmbeddedStore, count: number): DrivenRun[] {
  return Array.from({ length: count }, (_, nth) => {
    const run = store.createRun(someRun(newRunId(1_700_000_000_000 + nth)));
    run.setStatus("completed");
    run.release();
    return run;
  });
}

test("one run that cannot be removed keeps none of the others", async () => {
  const store = freshStore();
  const runs = endedRuns(store, 4);
  // A row that can be of no run, a journal that is none, and a folder in whose way another one stands.
  store.state.runs.put({ ...store.state.runs.get(runs[0]!.runId)!, runId: "../0" });
  writeFileSync(join(runs[1]!.folder, "journal.db"), "this is no journal ".repeat(300));
  mkdirSync(join(store.home, "runs", ".pruned", runs[2]!.runId, "full"), { recursive: true });
  const failed: string[] = [];
  const all = () => store.runs().map(({ runId }) => runId);
  const pruned = await store.removeRuns(all(), (runId) => failed.push(runId));
  expect([...pruned].sort()).toEqual(["../0", ...[0, 1, 3].map((nth) => runs[nth]!.runId)].sort());
  expect(failed).toEqual([runs[2]!.runId]);
  expect(store.runs().map(({ runId }) => runId)).toEqual([runs[2]!.runId]);
  expect(await store.removeRuns(all())).toEqual([runs[2]!.runId]);
  expect(readdirSync(join(store.home, "runs"))).toEqual([]);
});

test("a process that was killed while it removed runs leaves none in the list that is not there", async () => {
  const store = freshStore();
  const [one, taken, moving, ...others] = endedRuns(store, 5) as [DrivenRun, DrivenRun, DrivenRun, ...DrivenRun[]];
  const away = join(store.home, "runs", ".pruned");
  mkdirSync(away);
  renameSync(one.folder, join(away, one.runId));
  // Its log is there: it was taken before it was moved, or was opened meanwhile and will be moved back.
  for (const [run, name] of [
    [taken, `${taken.runId}.taken`],
    [moving, moving.runId],
  ] as const) {
    writeFileSync(join(run.folder, "journal.db-wal"), "");
    renameSync(run.folder, join(away, name));
  }
  const left = [moving, ...others].map(({ runId }) => runId);
  expect(store.runs().map(({ runId }) => runId)).toEqual([...left].reverse());
  renameSync(join(away, moving.runId), moving.folder);
  expect(await store.removeRuns([left[1] ?? ""])).toEqual([left[1]]);
  expect(readdirSync(join(store.home, "runs")).sort()).toEqual([left[0], left[2]]);
});

test("runs that ended are removed without opening them; one whose log is there is looked at", async () => {
  const store = freshStore();
  const runs = endedRuns(store, 5);
  const left = store.createRun(someRun(newRunId(1_600_000_000_000)));
  store.state.runs.put({ ...store.state.runs.get(left.runId)!, status: "completed", driver: null });
  const opened: string[] = [];
  const driver = sqliteDriver();
  const { connect } = driver;
  vi.spyOn(driver, "connect").mockImplementation((setup) => {
    opened.push(setup);
    return connect(setup);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const ids = runs.map(({ runId }) => runId);
  // The index says that it ended, and its driver has not let go of it.
  expect(await store.removeRuns([...ids, left.runId])).toEqual(ids);
  expect(opened.filter((setup) => setup.includes("journal.db"))).toHaveLength(1);
  left.append([output(1, "still here")]);
});

test.runIf(process.getuid?.() === 0 && process.platform === "linux")(
  "old runs are removed from a disk that is full",
  async ({ skip }) => {
    const disk = freshFolder();
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]).status !== 0)
      skip("no small disk can be mounted here");
    onTestFinished(() => {
      spawnSync("umount", ["-l", disk]);
    });
    const store = openTestStore(join(disk, "home"));
    const runs = endedRuns(store, 6);
    const driven = store.createRun(someRun(newRunId(1_600_000_000_000)));
    fill(join(disk, "ballast"));
    // Small ones: what several of them free is the room that it takes to note their removal.
    const [last, ...old] = runs.map(({ runId }) => runId).reverse();
    expect(await store.removeRuns([...old, driven.runId])).toEqual(old);
    expect(store.runs().map(({ runId }) => runId)).toEqual([last, driven.runId]);
  },
);

/** Writes until there is no room for a single byte. */
function fill(path: string): void {
  const file = openSync(path, "w");
  for (let size = 1 << 20; size > 0; )
    try {
      if (writeSync(file, Buffer.alloc(size)) < size) size >>= 1;
    } catch {
      size >>= 1;
    }
  closeSync(file);
}

test("a run whose making was cut off can be made again under its id, and one that was made cannot", () => {
  const store = freshStore();
  const halves: readonly ((folder: string) => void)[] = [
    () => {},
    (folder) => writeFileSync(join(folder, "journal.db"), ""),
    (folder) => {
      const connection = openFile(join(folder, "journal.db"), { busyMs: 100 });
      connection.exec("PRAGMA file.journal_mode=WAL");
      connection.close();
    },
  ];
  for (const [index, half] of halves.entries()) {
    const runId = newRunId();
    const folder = join(store.home, "runs", runId);
    mkdirSync(folder, { recursive: true });
    half(folder);
    expect(store.clearUnmade(runId), `half ${index}`).toBe(true);
    const run = store.createRun({ runId, workflow: "w", file: "w.yaml", durability: "process" });
    run.release();
    expect(store.clearUnmade(runId)).toBe(false);
  }
  store.close();
});
