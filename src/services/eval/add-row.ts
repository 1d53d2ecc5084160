// `segno eval add`: makes a row of a run, at the end of a dataset.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Head, head } from "../../results/index.ts";
import { orRefused, refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { namedRun, withStore } from "../session/store.ts";
import { type DatasetRow, readDataset } from "./dataset.ts";
import { rowOfRun } from "./planned-rows.ts";

export interface AddRowRequest {
  readonly run: string;
  /** A .jsonl file; it is made when it is not there. */
  readonly to: string;
  /** Instead of the id of the run. */
  readonly id?: string;
  readonly tags?: readonly string[];
  /** For an eval of one step: what is expected is its output. */
  readonly step?: string;
  /** Instead of what the run came to; asked with that, where a person can be asked. Undefined: nothing is written. */
  readonly expected?: (came: unknown) => Promise<{ readonly value: unknown } | undefined>;
}

export const addEvalRow = (
  session: Session,
  request: AddRowRequest,
): Promise<Head & { readonly file: string | null; readonly row: DatasetRow | null }> =>
  orRefused(session, { file: null, row: null }, () =>
    withStore(session, async (store) => {
      const { to, id, tags, step, expected } = request;
      const file = resolve(session.cwd, to);
      if (!/\.(jsonl|ndjson)$/.test(to)) throw refusal(`rows are added to a .jsonl file, and ${to} is none`);
      const runId = await namedRun(store, session, request);
      const made = await rowOfRun(store, runId, step, session);
      if (!made) throw refusal(`a scenario answered for the run ${runId}: nothing of it happened, so it is no row`);
      if (step !== undefined && made.expected === null && !expected)
        throw refusal(`step ${step} gave no answer in the run ${runId}: say with --expected what is expected of it`);
      const named = { ...made, id: id ?? made.id, tags: tags ?? [] };
      const place = { file, line: 1, column: 1 };
      const { rows } = existsSync(file) ? readDataset(file, place) : { rows: [] };
      const before = rows.find((row) => row.id === named.id);
      if (before)
        throw refusal(
          `${shownPath(file, session.cwd)}:${before.place.line}:1 has the row ${named.id} already: give this one another name with --id`,
        );
      const wanted = expected ? await expected(named.expected) : { value: named.expected };
      if (!wanted) return { ...head(130), error: "nothing was written", file: null, row: null };
      const row = { ...named, expected: wanted.value };
      const isWhole = !existsSync(file) || /(^|\n)$/.test(readFileSync(file, "utf8"));
      appendFileSync(file, `${isWhole ? "" : "\n"}${JSON.stringify(row)}\n`);
      return { ...head(0), file: shownPath(file, session.cwd), row };
    }),
  );
