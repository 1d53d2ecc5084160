import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRunId } from "../run-id.ts";
import { StoreError } from "../store-error.ts";
import { freshStore, openTestStore, output, someRun } from "./testing/homes.ts";

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
