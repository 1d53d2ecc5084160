import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshFolder, freshStore, openTestStore, someRun } from "../../../test/support/stores/homes.ts";
import { openFile, sqliteDriver } from "../sqlite/open.ts";
import { type Migration, migrate, requireVersion } from "./database-file.ts";
import { indexPath } from "./index-db.ts";

const first: Migration = (connection) => connection.exec("CREATE TABLE file.t (a)");
const second: Migration = (connection) =>
  connection.exec("ALTER TABLE file.t ADD COLUMN b DEFAULT 'new'; UPDATE t SET a = a + 1");

test("an older store is brought forward step by step, and keeps what it holds", () => {
  const path = join(freshFolder(), "a.db");
  const connection = openFile(path, { busyMs: 100 });
  expect(() => requireVersion(connection, [first], path)).toThrow(/never set up/);
  migrate(connection, [first], path);
  connection.exec("INSERT INTO t VALUES (1)");
  migrate(connection, [first, second], path);
  migrate(connection, [first, second], path);
  requireVersion(connection, [first, second], path);
  expect(connection.prepare("SELECT * FROM t").all([])).toEqual([{ a: 2, b: "new" }]);
  expect(() => migrate(connection, [first], path)).toThrow(/newer Segno \(format 2; this one knows up to 1\)/);
  connection.close();
});

test("a step that fails leaves the store as it was", () => {
  const path = join(freshFolder(), "a.db");
  const connection = openFile(path, { busyMs: 100 });
  migrate(connection, [first], path);
  connection.exec("INSERT INTO t VALUES (1)");
  const broken: Migration = () => {
    second(connection);
    throw new Error("stop");
  };
  expect(() => migrate(connection, [first, broken], path)).toThrow("stop");
  requireVersion(connection, [first], path);
  expect(connection.prepare("SELECT * FROM t").all([])).toEqual([{ a: 1 }]);
  connection.close();
});

test("the index of runs that an older version kept in state.db is taken over once", () => {
  const store = freshStore();
  store.createRun(someRun("01OLD")).release();
  const row = store.state.runs.get("01OLD");
  store.close();
  rmSync(indexPath(store.home));
  const older = openFile(join(store.home, "state.db"), { busyMs: 100 });
  older.exec(`INSERT INTO file.runs (run_id, workflow, file, status, started, host, pid, start, resumable)
    VALUES ('01OLD', 'release', '/w/release.yaml', 'running', ${Date.parse(row!.started)}, 'box', 7, 's', 1)`);
  older.exec("PRAGMA file.user_version=3");
  older.close();
  expect(store.state.runs.list()).toEqual([{ ...row, driver: { host: "box", pid: 7, start: "s" } }]);
  store.close();
  rmSync(indexPath(store.home));
  expect(store.state.runs.list()).toEqual([]);
});

test("the file that keeps letters, gates and firings is flushed, whatever is written to the index", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.setStatus("completed");
  run.release();
  store.close();
  const state = openFile(join(store.home, "state.db"), { busyMs: 100 });
  expect(state.prepare("SELECT count(*) AS runs FROM file.runs").get([])).toMatchObject({ runs: 0 });
  state.close();
  const statements: string[] = [];
  const { connect } = sqliteDriver();
  const watched = (setup: string) => {
    statements.push(setup);
    return connect(setup);
  };
  vi.spyOn(sqliteDriver(), "connect").mockImplementation(watched);
  onTestFinished(() => void vi.restoreAllMocks());
  openTestStore(store.home).runs();
  const unflushed = statements.filter((one) => one.includes("synchronous=OFF"));
  expect(unflushed).toHaveLength(1);
  expect(unflushed[0]).toContain("index.db");
});

test("a state.db without a version is set up when it is first used", () => {
  const store = freshStore();
  store.state.gates.present("R", "g", 1);
  store.close();
  const connection = openFile(join(store.home, "state.db"), { busyMs: 100 });
  const tables = connection
    .prepare<{ name: string }>("SELECT name FROM file.sqlite_schema WHERE type = 'table'")
    .all([]);
  for (const { name } of tables) connection.exec(`DROP TABLE file.${name}`);
  connection.exec("PRAGMA file.user_version=0");
  connection.close();
  expect(store.state.gates.pending()).toEqual([]);
});
