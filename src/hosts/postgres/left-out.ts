// Rows that cannot be read: somebody changed them, or another program wrote them. One of them must not take a whole list
// down, and must not be passed over in silence either.
import { isUnreadable } from "../store-error.ts";

export class LeftOut {
  /** What was left out, in sentences, each once. */
  readonly said = new Set<string>();

  /** What can be read of the rows. A key that is missing here is no fault of a row: that is thrown. */
  readable<Row, Item>(rows: readonly Row[], what: (row: Row) => string, read: (row: Row) => Item): readonly Item[] {
    return rows.flatMap((row) => {
      try {
        return [read(row)];
      } catch (problem) {
        if (isUnreadable(problem)) throw problem;
        this.said.add(`Left out: ${what(row)}. ${problem instanceof Error ? problem.message : String(problem)}`);
        return [];
      }
    });
  }
}
