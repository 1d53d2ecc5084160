// What has changed in the list of runs since it was last told: new rows, rows that read otherwise, runs that are gone.
import type { ListedRun, ShownRuns } from "../services/watching/run-list.ts";

/** Those who follow the list look at its newest part. */
const MOST_ROWS = 500;
const FIRST_ROWS = 50;

export class ListChanges {
  readonly #list: ShownRuns;
  #told: Map<string, string> | undefined;

  constructor(list: ShownRuns) {
    this.#list = list;
  }

  /** The first time the newest are told, whatever is known of them: something may have changed since the list was fetched. */
  async next(): Promise<{ readonly rows: readonly ListedRun[]; readonly removed: readonly string[] }> {
    const rows = await this.#list.rows(MOST_ROWS);
    const before = this.#told;
    const texts = new Map(rows.map((row) => [row.run_id, JSON.stringify(row)]));
    this.#told = texts;
    if (!before) return { rows: rows.slice(0, FIRST_ROWS), removed: [] };
    const oldest = rows.at(-1)?.run_id ?? "";
    return {
      rows: rows.filter(({ run_id }) => before.get(run_id) !== texts.get(run_id)),
      // One that has only moved off the end of the list is still there.
      removed: [...before.keys()].filter((id) => !texts.has(id) && (rows.length < MOST_ROWS || id > oldest)),
    };
  }
}
