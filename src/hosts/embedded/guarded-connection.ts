// A connection whose errors are said to people, so that the tables built on it need not think of it.
import type { Connection, Statement } from "../sqlite/connection.ts";
import { guarded } from "./store-error.ts";

export function guardedConnection(inner: Connection, doing: string, path: string): Connection {
  const guard = <Result>(work: () => Result): Result => guarded(doing, path, work);
  return {
    exec: (sql) => guard(() => inner.exec(sql)),
    prepare: <Row>(sql: string): Statement<Row> => {
      const statement = guard(() => inner.prepare<Row>(sql));
      return {
        run: (values) => guard(() => statement.run(values)),
        get: (values) => guard(() => statement.get(values)),
        all: (values) => guard(() => statement.all(values)),
      };
    },
    close: () => inner.close(),
  };
}
