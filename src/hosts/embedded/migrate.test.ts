import { join } from "node:path";
import { expect, test } from "vitest";
import { openFile } from "../sqlite/open.ts";
import { type Migration, migrate, requireVersion } from "./migrate.ts";
import { freshFolder, freshStore } from "./testing/homes.ts";

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
