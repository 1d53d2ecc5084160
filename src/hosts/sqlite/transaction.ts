// A transaction that holds the write lock from its first moment, so that what was read is still true when it is written.
import type { Connection } from "./connection.ts";

export function immediately<Result>(connection: Connection, work: () => Result): Result {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      connection.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself already, as it does on a full disk.
    }
    throw error;
  }
}
