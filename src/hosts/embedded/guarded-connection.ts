// A connection whose errors are said to people, and which waits for others' locks, so that the tables built on it need not
// think of either.

import { writing } from "../faults.ts";
import { guarded } from "../files/guarded.ts";
import type { Connection, Statement } from "../sqlite/connection.ts";
import { patiently } from "../sqlite/patience.ts";
import { isInTransaction } from "../sqlite/transaction.ts";

export interface GuardOptions {
  /** What is said to be going on: completes "While …". */
  readonly doing: string;
  readonly path: string;
  readonly patienceMs: number;
}

export function guardedConnection(inner: Connection, { doing, path, patienceMs }: GuardOptions): Connection {
  const guard = <Result>(work: () => Result): Result => guarded(doing, path, () => patiently(patienceMs, work));
  // Within a transaction a statement may not be tried alone: what went before it may be undone.
  const guardStatement = <Result>(work: () => Result): Result =>
    isInTransaction(connection) ? guarded(doing, path, work) : guard(work);
  const connection: Connection = {
    exec: (sql) => (sql === "COMMIT" ? writing(() => guard(() => inner.exec(sql))) : guard(() => inner.exec(sql))),
    prepare: <Row>(sql: string): Statement<Row> => {
      const statement = guardStatement(() => inner.prepare<Row>(sql));
      return {
        run: (values) =>
          isInTransaction(connection)
            ? guardStatement(() => statement.run(values))
            : writing(() => guard(() => statement.run(values))),
        get: (values) => guardStatement(() => statement.get(values)),
        all: (values) => guardStatement(() => statement.all(values)),
      };
    },
    close: () => inner.close(),
  };
  return connection;
}
