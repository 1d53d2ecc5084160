// libsql's native part, loaded directly. Its own entry asks Node for a full diagnostic report only to learn which C library
// this is: 10 ms of every `segno run`, a third of starting Node. Whatever is unexpected here, the entry is used instead.
import { createRequire } from "node:module";
import { ARCHITECTURE, PLATFORM } from "../../steps/process/platform.ts";
import type { SqlValue } from "./connection.ts";

export interface LibsqlStatement {
  run(values: readonly SqlValue[]): { changes: number };
  get(values: readonly SqlValue[]): unknown;
  all(values: readonly SqlValue[]): unknown[];
}

export interface LibsqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): LibsqlStatement;
}

type Handle = object;

interface Binding {
  databaseOpen(path: string, token: string, cipher: string, key: string, timeout: number, remoteKey: string): Handle;
  databaseExecSync(this: Handle, sql: string): void;
  databasePrepareSync(this: Handle, sql: string): Handle;
  statementRun(this: Handle, values: readonly SqlValue[]): { changes: number };
  statementGet(this: Handle, values: readonly SqlValue[]): unknown;
  statementRowsSync(this: Handle, values: readonly SqlValue[]): Handle;
  rowsNext(this: Handle, into: unknown[]): void;
}

const CALLS: readonly (keyof Binding)[] = [
  "databaseOpen",
  "databaseExecSync",
  "databasePrepareSync",
  "statementRun",
  "statementGet",
  "statementRowsSync",
  "rowsNext",
];

/** Where both C libraries exist the GNU one is tried; under musl it does not load, and the entry picks the other. */
const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "linux-x64-gnu",
  "linux-arm64": "linux-arm64-gnu",
  "darwin-x64": "darwin-x64",
  "darwin-arm64": "darwin-arm64",
  "win32-x64": "win32-x64-msvc",
};

const ROWS_AT_ONCE = 100;

function statementOf(binding: Binding, handle: Handle): LibsqlStatement {
  return {
    run: (values) => binding.statementRun.call(handle, values),
    get: (values) => binding.statementGet.call(handle, values),
    all: (values) => {
      const rows = binding.statementRowsSync.call(handle, values);
      const found: unknown[] = [];
      for (;;) {
        const some: unknown[] = new Array(ROWS_AT_ONCE);
        binding.rowsNext.call(rows, some);
        for (const row of some) {
          if (!row) return found;
          found.push(row);
        }
      }
    },
  };
}

function databaseOf(binding: Binding): LibsqlDatabase {
  const handle = binding.databaseOpen(":memory:", "", "aes256cbc", "", 0, "");
  return {
    exec: (sql) => binding.databaseExecSync.call(handle, sql),
    prepare: (sql) => statementOf(binding, binding.databasePrepareSync.call(handle, sql)),
  };
}

/** Makes databases in memory; nothing when the native part is not where or what it was expected to be. */
export function loadBinding(require: NodeJS.Require): (() => LibsqlDatabase) | undefined {
  const target = TARGETS[`${PLATFORM}-${ARCHITECTURE}`];
  if (!target) return undefined;
  try {
    // Resolved from libsql's own place: some package managers let only it see the native package.
    const binding = createRequire(require.resolve("libsql"))(`@libsql/${target}`) as Partial<Binding>;
    if (!CALLS.every((call) => typeof binding[call] === "function")) return undefined;
    return () => databaseOf(binding as Binding);
  } catch {
    return undefined;
  }
}
