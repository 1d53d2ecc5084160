// Questions that wait for a person, and the answers. Whoever answers first is heard; the others are told they are late.
import { keptText, textKept } from "../../rows/kept-text.ts";
import type { Gates, Heard, OpenQuestion } from "../../shared-state.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";

interface GateRow {
  readonly run_id: string;
  readonly key: string;
  readonly question: string;
  readonly answer: string | null;
  readonly closed: number;
  readonly presented: number;
}

export class GateTable implements Gates {
  readonly #connection: Connection;
  readonly #now: () => number;

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
  }

  /**
   * Asks. Asking again, as a resume does, opens the question anew but keeps an answer that has come meanwhile; an answer
   * to another question is none to this one.
   */
  present(runId: string, key: string, question: unknown): void {
    this.#connection
      .prepare(
        `INSERT INTO gates (run_id, key, presented, closed, question) VALUES (?, ?, ?, 0, ?)
         ON CONFLICT (run_id, key) DO UPDATE SET closed = 0, question = excluded.question,
           answer = CASE WHEN question = excluded.question THEN answer END`,
      )
      .run([runId, keptText(key), this.#now(), JSON.stringify(question)]);
  }

  answer(runId: string, key: string, answer: unknown, question?: unknown): Heard {
    return immediately(this.#connection, () => {
      const row = this.#row(runId, key);
      if (!row) return "unknown";
      if (row.answer !== null || row.closed === 1) return "late";
      if (question !== undefined && row.question !== JSON.stringify(question)) return "changed";
      this.#connection
        .prepare("UPDATE gates SET answer = ? WHERE run_id = ? AND key = ?")
        .run([JSON.stringify(answer), runId, keptText(key)]);
      return "ok";
    });
  }

  /** The answer, in a box; nothing while there is none. Cheap enough to ask a few times a second. */
  get(runId: string, key: string): { readonly answer: unknown } | undefined {
    const answer = this.#row(runId, key)?.answer;
    return typeof answer === "string" ? { answer: JSON.parse(answer) as unknown } : undefined;
  }

  /** The answer that this question would get if it were asked now. */
  answerTo(runId: string, key: string, question: unknown): { readonly answer: unknown } | undefined {
    return this.#row(runId, key)?.question === JSON.stringify(question) ? this.get(runId, key) : undefined;
  }

  /** Takes questions of a run back: it ended, or the gate was passed without an answer. */
  withdraw(runId: string, key?: string): void {
    if (key === undefined)
      this.#connection.prepare("UPDATE gates SET closed = 1 WHERE run_id = ? AND closed = 0").run([runId]);
    else
      this.#connection.prepare("UPDATE gates SET closed = 1 WHERE run_id = ? AND key = ?").run([runId, keptText(key)]);
  }

  /** Questions without an answer, oldest first. */
  pending(runId?: string): OpenQuestion[] {
    return this.#connection
      .prepare<GateRow>(
        "SELECT * FROM gates WHERE answer IS NULL AND closed = 0 AND (? IS NULL OR run_id = ?) ORDER BY presented, key",
      )
      .all([runId ?? null, runId ?? null])
      .map((row) => ({
        runId: row.run_id,
        key: textKept(row.key),
        question: JSON.parse(row.question) as unknown,
        presented: new Date(row.presented).toISOString(),
      }));
  }

  /** Forgets a question that is asked from the start, or all of a run that was pruned. */
  forget(runId: string, key?: string): void {
    if (key === undefined) this.#connection.prepare("DELETE FROM gates WHERE run_id = ?").run([runId]);
    else this.#connection.prepare("DELETE FROM gates WHERE run_id = ? AND key = ?").run([runId, keptText(key)]);
  }

  #row(runId: string, key: string): GateRow | undefined {
    return this.#connection
      .prepare<GateRow>("SELECT * FROM gates WHERE run_id = ? AND key = ?")
      .get([runId, keptText(key)]);
  }
}
