// Questions that wait for a person, and the answers, for everybody who uses the database.
import { createHmac } from "node:crypto";
import type { AnswerTo } from "../../fleet.ts";
import { isoTime } from "../../rows/time.ts";
import type { Gates, Heard, OpenQuestion } from "../../shared-state.ts";
import { ChangedInDatabase, isUnreadable, type StoreError } from "../../store-error.ts";
import type { Database, Queries } from "../database.ts";
import { comparedKeys, type KeptKey, keptKey, keyKept } from "../kept-key.ts";
import { openValue, type Seal } from "../seal.ts";

interface GateRow {
  readonly run_id: string;
  readonly key: string;
  readonly whole: string | null;
  readonly presented: string;
  readonly closed: boolean;
  readonly question: string;
  readonly digest: string;
  readonly answer: string | null;
}

export interface GateTableOptions {
  readonly seal: Seal;
  readonly now: () => number;
  /** Questions are sealed, and yet have to be compared. */
  readonly hashKey: string;
}

const isAskedAnew = (question: unknown): boolean =>
  (question as { readonly asked_at?: unknown }).asked_at !== undefined;

const notToThis = (row: GateRow, key: string, problem: unknown): StoreError =>
  new ChangedInDatabase(
    `The answer to ${key} of run ${row.run_id} in the database was not given to what it asks now: somebody put it there. It is not used. A resume from that step asks again.`,
    row.run_id,
    { cause: problem },
  );

type GivenAnswer = { readonly answer: unknown } | undefined;

const ROW = "select * from segno.answers where run_id = $1 and key = any($2::text[])";

export class GateTable implements Gates {
  readonly #database: Database;
  readonly #options: GateTableOptions;

  constructor(database: Database, options: GateTableOptions) {
    this.#database = database;
    this.#options = options;
  }

  #digest(question: unknown): string {
    return createHmac("sha256", this.#options.hashKey).update(JSON.stringify(question)).digest("hex");
  }

  async present(runId: string, key: string, question: unknown): Promise<void> {
    const text = this.#options.seal.close(JSON.stringify(question), [runId, "question", key]);
    const kept = keptKey(key, this.#options.seal);
    await this.#keepUnder(runId, key, kept);
    await this.#database.run(
      `insert into segno.answers as a (run_id, key, whole, presented, closed, question, digest)
       values ($1, $2, $6, $3, false, $4, $5)
       on conflict (run_id, key) do update set closed = false, question = excluded.question, digest = excluded.digest,
         answer = case when a.digest = excluded.digest and not a.closed then a.answer end`,
      [runId, kept.key, this.#options.now(), text, this.#digest(question), kept.whole],
    );
  }

  /** A question that stands there under an earlier form of its key is the same one. */
  async #keepUnder(runId: string, key: string, kept: KeptKey): Promise<void> {
    const [, ...earlier] = this.#compared(key);
    if (earlier.length === 0) return;
    await this.#database.run(
      `update segno.answers a set key = $3, whole = $4 where run_id = $1 and key = any($2::text[])
         and not exists (select 1 from segno.answers b where b.run_id = $1 and b.key = $3)`,
      [runId, earlier, kept.key, kept.whole],
    );
  }

  #compared(key: string): readonly string[] {
    return comparedKeys(key, this.#options.seal);
  }

  answer(runId: string, key: string, answer: unknown, question?: unknown): Promise<Heard> {
    return this.#database.transaction((sql) => this.answerIn(sql, runId, key, { answer, question }));
  }

  /**
   * Within a transaction that does more: the next drive is placed with the answer, or neither is. `drive`: the one that is
   * underway and has to hear it.
   */
  async answerIn(
    sql: Queries,
    runId: string,
    key: string,
    { answer, question }: AnswerTo,
    drive?: number,
  ): Promise<Heard> {
    const [row] = await sql.rows<GateRow>(`${ROW} for update`, [runId, this.#compared(key)]);
    if (!row) return "unknown";
    if (row.answer !== null || row.closed) return "late";
    const digest = this.#digest(question ?? this.#questionOf(row));
    if (digest !== row.digest) return "changed";
    await sql.run("update segno.answers set answer = $3, drive = $4 where run_id = $1 and key = $2", [
      ...[runId, row.key],
      this.#sealed(runId, key, answer, digest),
      drive ?? null,
    ]);
    return "ok";
  }

  #sealed(runId: string, key: string, answer: unknown, digest: string): string {
    return this.#options.seal.close(JSON.stringify(answer), [runId, "answer", key, digest]);
  }

  async get(runId: string, key: string): Promise<GivenAnswer> {
    const row = await this.#row(runId, key);
    return row && !row.closed ? this.#answerOf(row, this.#questionOf(row)) : undefined;
  }

  async answerTo(runId: string, key: string, question: unknown): Promise<GivenAnswer> {
    return this.#answerTo(await this.#row(runId, key), question);
  }

  #answerTo(row: GateRow | undefined, question: unknown): GivenAnswer {
    return row && !row.closed && row.digest === this.#digest(question) ? this.#answerOf(row, question) : undefined;
  }

  settle(runId: string, key: string, question: unknown, answer?: unknown): Promise<GivenAnswer> {
    return this.#database.transaction(async (sql) => {
      const [row] = await sql.rows<GateRow>(`${ROW} for update`, [runId, this.#compared(key)]);
      const first = this.#answerTo(row, question);
      if (!row || first) return first;
      await sql.run("update segno.answers set closed = true, answer = $3 where run_id = $1 and key = $2", [
        ...[runId, row.key],
        answer === undefined ? null : this.#sealed(runId, key, answer, row.digest),
      ]);
      return undefined;
    });
  }

  async counted(runId: string, key: string): Promise<GivenAnswer> {
    const row = await this.#row(runId, key);
    return row && this.#answerOf(row, this.#questionOf(row));
  }

  /** It is sealed for the question that it was given to: put back when that is asked anew, or asks something else, it is none. */
  #answerOf(row: GateRow, question: unknown): GivenAnswer {
    if (row.answer === null) return undefined;
    const { seal } = this.#options;
    const key = keyKept(row, seal);
    const place = [row.run_id, "answer", key];
    try {
      return { answer: openValue(seal, row.answer, [...place, this.#digest(question)]) };
    } catch (problem) {
      if (isUnreadable(problem) || !seal.isSealed) throw problem;
      if (isAskedAnew(question)) throw notToThis(row, key, problem);
      // Given before answers were sealed for their question: what an older Segno asked has no time at which it was asked anew.
      return { answer: openValue(seal, row.answer, place) };
    }
  }

  #questionOf(row: GateRow): unknown {
    const { seal } = this.#options;
    return openValue(seal, row.question, [row.run_id, "question", keyKept(row, seal)]);
  }

  async withdraw(runId: string): Promise<void> {
    await this.#database.run("update segno.answers set closed = true where run_id = $1 and answer is null", [runId]);
  }

  async asking(): Promise<readonly string[]> {
    const rows = await this.#database.rows<{ run_id: string }>(
      "select distinct run_id from segno.answers where answer is null and not closed",
    );
    return rows.map(({ run_id }) => run_id);
  }

  async pending(runId?: string): Promise<readonly OpenQuestion[]> {
    const rows = await this.#database.rows<GateRow>(
      `select * from segno.answers where answer is null and not closed ${runId === undefined ? "" : "and run_id = $1"}
       order by presented, key`,
      runId === undefined ? [] : [runId],
    );
    const what = (row: GateRow): string => `a question of run ${row.run_id}`;
    return this.#database.leftOut.readable(rows, what, (row) => this.#open(row));
  }

  #open(row: GateRow): OpenQuestion {
    const { run_id: runId, presented } = row;
    const key = keyKept(row, this.#options.seal);
    return { runId, key, question: this.#questionOf(row), presented: isoTime(presented) };
  }

  async forget(runId: string, key?: string): Promise<void> {
    await this.#database.run("delete from segno.answers where run_id = $1 and ($2::text[] is null or key = any($2))", [
      runId,
      key === undefined ? null : this.#compared(key),
    ]);
  }

  async #row(runId: string, key: string): Promise<GateRow | undefined> {
    const rows = await this.#database.rows<GateRow>(ROW, [runId, this.#compared(key)]);
    return rows[0];
  }
}
