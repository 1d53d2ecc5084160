// Whether a database file is whole: it is read from its first page to its last.
import { guarded } from "../files/guarded.ts";
import { StoreError } from "../store-error.ts";
import { type Migration, requireVersion } from "./migrate.ts";
import { openTables } from "./open-tables.ts";

/** Throws when the file is damaged, newer, or cannot be opened. */
export function readThrough(path: string, migrations: readonly Migration[]): void {
  guarded("reading it through", path, () => {
    const connection = openTables(path, { busyMs: 5000, mustExist: true, readOnly: true });
    try {
      requireVersion(connection, migrations, path);
      const found = connection
        .prepare<{ integrity_check: string }>("PRAGMA file.integrity_check(1)")
        .get([])?.integrity_check;
      if (found !== "ok") throw new StoreError("corrupt", `${path} is damaged: ${found}`, path);
    } finally {
      connection.close();
    }
  });
}
