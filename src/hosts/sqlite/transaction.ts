// A transaction that holds the write lock from its first moment, so that what was read is still true when it is written.
import type { Connection } from "./connection.ts";

const inside = new WeakSet<Connection>();

/** Whether a transaction is going on. */
export const isInTransaction = (connection: Connection): boolean => inside.has(connection);

/** Runs `work` in a transaction; inside another one it becomes part of that. */
export function immediately<Result>(connection: Connection, work: () => Result): Result {
  if (inside.has(connection)) return work();
  connection.exec("BEGIN IMMEDIATE");
  inside.add(connection);
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
  } finally {
    inside.delete(connection);
  }
}
