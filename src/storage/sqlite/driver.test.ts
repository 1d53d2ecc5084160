// One list of cases for every way to SQLite there is: the stores must not be able to tell them apart.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Connection, type Driver, faultOf, immediately, isConstraint, type SqlValue } from "./connection.ts";
import { loadBinding, loadEntry, loadLibsql } from "./libsql.ts";
import { loadNodeSqlite, type NodeSqlite } from "./node-sqlite.ts";
import { openFile } from "./open.ts";

/** Node's interface over libsql, for Nodes that have none: it proves our half of the adapter. */
class DatabaseSync {
  readonly #inner = loadEntry(createRequire(import.meta.url))();
  exec(sql: string): void {
    this.#inner.exec(sql);
  }
  prepare(sql: string) {
    let statement = this.#inner.prepare(sql);
    // Node resets a statement after each use, also after one that failed.
    const resetting = <Result>(use: () => Result): Result => {
      try {
        return use();
      } catch (error) {
        statement = this.#inner.prepare(sql);
        throw error;
      }
    };
    return {
      run: (...values: readonly SqlValue[]) => resetting(() => statement.run(values)),
      get: (...values: readonly SqlValue[]) => resetting(() => statement.get(values)),
      all: (...values: readonly SqlValue[]) => resetting(() => statement.all(values)),
    };
  }
  close(): void {
    try {
      this.#inner.exec("DETACH file");
    } catch {
      // Nothing was attached.
    }
  }
}

const standIn: NodeSqlite = { DatabaseSync };
const drivers: readonly (readonly [string, Driver | undefined])[] = [
  ["libsql, native part", loadLibsql()],
  ["libsql, by its entry", loadLibsql(loadEntry)],
  ["node:sqlite", loadNodeSqlite()],
  ["node:sqlite, stand-in", loadNodeSqlite(standIn)],
];

function file(name = "a.db"): string {
  const folder = mkdtempSync(join(tmpdir(), "segno-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

test("the native part is found here, so that the quick way is what is tested", () => {
  expect(loadBinding(createRequire(import.meta.url))).toBeDefined();
});

for (const [name, driver] of drivers) {
  describe.skipIf(!driver)(name, () => {
    const open = (path: string, options: { readOnly?: boolean; busyMs?: number } = {}): Connection => {
      const connection = openFile(
        path,
        { busyMs: options.busyMs ?? 20, mustExist: options.readOnly, readOnly: options.readOnly },
        driver,
      );
      onTestFinished(() => connection.close());
      return connection;
    };

    test("a statement that writes can be run by get: it is committed, and refused values are an error", () => {
      const path = file();
      const connection = open(path);
      connection.exec("PRAGMA file.journal_mode=WAL; CREATE TABLE file.t (a INTEGER PRIMARY KEY, b NOT NULL)");
      const put = connection.prepare("INSERT INTO t VALUES (?, ?)");
      expect(put.get([1, "one"])).toBeUndefined();
      expect(put.get([2, "two"])).toBeUndefined();
      const refused = (values: readonly SqlValue[]): unknown => {
        try {
          return put.get(values);
        } catch (error) {
          return isConstraint(error);
        }
      };
      expect(refused([2, "again"])).toBe(true);
      expect(refused([3, null])).toBe(true);
      expect(put.get([4, "four"])).toBeUndefined();
      const other = open(path);
      expect(other.prepare<{ a: number }>("SELECT a FROM t").all([])).toMatchObject([{ a: 1 }, { a: 2 }, { a: 4 }]);
      other.exec("INSERT INTO t VALUES (5, 'by another')");
    });

    test("values come back as they were put in", () => {
      const connection = open(file("it's a ?#%.db"));
      connection.exec("CREATE TABLE file.t (a, b, c, d)");
      const put = connection.prepare("INSERT INTO t VALUES (?, ?, ?, ?)");
      expect(put.run([1_700_000_000_000, 0.5, null, "ü😀"])).toBe(1);
      expect(connection.prepare("SELECT * FROM t").get([])).toMatchObject({
        a: 1_700_000_000_000,
        b: 0.5,
        c: null,
        d: "ü😀",
      });
      expect(connection.prepare("SELECT * FROM t WHERE a = ?").get([2])).toBeUndefined();
      immediately(connection, () => {
        for (let at = 0; at < 250; at += 1) put.run([at, null, null, "x"]);
      });
      expect(connection.prepare("SELECT a FROM t WHERE d = ?").all(["x"])).toHaveLength(250);
      expect(connection.prepare("UPDATE t SET b = 1 WHERE d = ?").run(["x"])).toBe(250);
    });

    test("closing lets go of the file, though statements are still around", () => {
      const path = file();
      const connection = open(path);
      connection.exec("PRAGMA file.journal_mode=WAL; CREATE TABLE file.t (a)");
      const put = connection.prepare("INSERT INTO t VALUES (?)");
      put.run([1]);
      connection.close();
      connection.close();
      expect(readdirSync(join(path, ".."))).toEqual(["a.db"]);
      expect(() => put.run([2])).toThrow();
    });

    test("a transaction that throws leaves nothing behind", () => {
      const connection = open(file());
      connection.exec("CREATE TABLE file.t (a)");
      const fails = () =>
        immediately(connection, () => {
          connection.exec("INSERT INTO t VALUES (1)");
          throw new Error("stop");
        });
      expect(fails).toThrow("stop");
      expect(connection.prepare("SELECT * FROM t").all([])).toEqual([]);
    });

    test("a reader cannot write, and finds no file that is not there", () => {
      const path = file();
      open(path).exec("CREATE TABLE file.t (a)");
      const reader = open(path, { readOnly: true });
      expect(faultOf(failure(() => reader.exec("INSERT INTO t VALUES (1)")))).toBe("readonly");
      expect(faultOf(failure(() => open(`${path}x`, { readOnly: true })))).toBe("missing");
    });

    test("errors say what they are", () => {
      const connection = open(file());
      connection.exec("CREATE TABLE file.t (a INTEGER PRIMARY KEY)");
      connection.exec("INSERT INTO t VALUES (1)");
      expect(isConstraint(failure(() => connection.prepare("INSERT INTO t VALUES (?)").run([1])))).toBe(true);
      const garbage = file();
      writeFileSync(garbage, "no database at all ".repeat(100));
      expect(faultOf(failure(() => open(garbage).prepare("SELECT * FROM file.sqlite_schema").all([])))).toBe("corrupt");
      expect(faultOf(failure(() => open(join(garbage, "below", "a.db"))))).toBe("io");
    });

    // The stand-in has libsql's fault without our cure.
    test.skipIf(name.includes("stand-in"))("what is written after a lock was met is really there", () => {
      const path = file();
      const one = open(path);
      one.exec("CREATE TABLE file.t (a)");
      const two = open(path);
      const put = two.prepare("INSERT INTO t VALUES (?)");
      const get = two.prepare("SELECT count(*) AS n FROM t");
      get.get([]);
      one.exec("BEGIN EXCLUSIVE");
      expect(faultOf(failure(() => put.run([1])))).toBe("locked");
      expect(faultOf(failure(() => get.get([])))).toBe("locked");
      one.exec("COMMIT");
      put.run([2]);
      two.prepare("INSERT INTO t VALUES (?)").run([3]);
      expect(one.prepare("SELECT a FROM t ORDER BY a").all([])).toEqual([{ a: 2 }, { a: 3 }]);
      one.exec("INSERT INTO t VALUES (4)");
      expect(get.get([])).toMatchObject({ n: 3 });
    });
  });
}

function failure(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("it should have failed");
}

test("of libsql, a statement is prepared once for each text, however many files are opened one after the other", () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = loadEntry(createRequire(import.meta.url));
  const prepared: string[] = [];
  const driver = loadLibsql(() => () => {
    const database = open();
    const prepare = database.prepare.bind(database);
    return {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => {
        prepared.push(sql);
        return prepare(sql);
      },
    };
  });
  for (let at = 0; at < 50; at++) {
    const connection = openFile(join(folder, `${at}.db`), { busyMs: 100 }, driver);
    connection.exec("CREATE TABLE file.things (n INTEGER)");
    connection.prepare("INSERT INTO things VALUES (?)").run([at]);
    expect(connection.prepare("SELECT n FROM things").all([])).toEqual([{ n: at }]);
    connection.close();
  }
  expect(prepared.sort()).toEqual(["INSERT INTO things VALUES (?)", "SELECT n FROM things"]);
});
