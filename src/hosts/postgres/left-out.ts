// Rows that cannot be read: they were changed in the database, or another program wrote them. One such row must not
// make a whole list fail, and must not be skipped silently either.
import { isUnreadable } from "../store-error.ts";

export class LeftOut {
  /** What was left out, in sentences, each once. */
  readonly said = new Set<string>();

  /**
   * What can be read of the rows. When nothing can be for want of a key, that is thrown: it is no fault of theirs. Beside
   * others, one that is sealed with another key is left out like any that is no good. `ifSealed`: what to do when there
   * are no others. `todo`: what to do about one that is no good.
   */
  readable<Row, Item>(
    rows: readonly Row[],
    what: (row: Row) => string,
    read: (row: Row) => Item,
    { ifSealed = "throw", todo }: { readonly ifSealed?: "throw" | "leave out"; readonly todo?: string } = {},
  ): readonly Item[] {
    let sealed: unknown;
    const said: string[] = [];
    const items = rows.flatMap((row) => {
      try {
        return [read(row)];
      } catch (problem) {
        if (isUnreadable(problem)) sealed ??= problem;
        said.push(
          `Left out: ${what(row)}. ${problem instanceof Error ? problem.message : String(problem)}${isUnreadable(problem) || todo === undefined ? "" : ` ${todo}`}`,
        );
        return [];
      }
    });
    if (sealed !== undefined && items.length === 0 && ifSealed === "throw") throw sealed;
    for (const text of said) this.said.add(text);
    return items;
  }
}
