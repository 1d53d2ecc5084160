// Questions that wait for a person, and the answers. The first answer counts; later ones get `late`. A question is
// closed when the drive that asks it has an answer of its own, or needs none any more.
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

type GivenAnswer = { readonly answer: unknown } | undefined;

const answerOf = (row: GateRow | undefined): GivenAnswer =>
  typeof row?.answer === "string" ? { answer: JSON.parse(row.answer) as unknown } : undefined;

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
           answer = CASE WHEN question = excluded.question AND closed = 0 THEN answer END`,
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

  get(runId: string, key: string): GivenAnswer {
    return answerOf(this.#open(runId, key));
  }

  answerTo(runId: string, key: string, question: unknown): GivenAnswer {
    const row = this.#open(runId, key);
    return row?.question === JSON.stringify(question) ? answerOf(row) : undefined;
  }

  settle(runId: string, key: string, question: unknown, answer?: unknown): GivenAnswer {
    return immediately(this.#connection, () => {
      const first = this.answerTo(runId, key, question);
      if (!first)
        this.#connection
          .prepare("UPDATE gates SET closed = 1, answer = ? WHERE run_id = ? AND key = ?")
          .run([answer === undefined ? null : JSON.stringify(answer), runId, keptText(key)]);
      return first;
    });
  }

  counted(runId: string, key: string): GivenAnswer {
    return answerOf(this.#row(runId, key));
  }

  withdraw(runId: string): void {
    this.#connection
      .prepare("UPDATE gates SET closed = 1 WHERE run_id = ? AND closed = 0 AND answer IS NULL")
      .run([runId]);
  }

  asking(): string[] {
    return this.#connection
      .prepare<{ run_id: string }>("SELECT DISTINCT run_id FROM gates WHERE answer IS NULL AND closed = 0")
      .all([])
      .map(({ run_id }) => run_id);
  }

  /** Questions without an answer, oldest first. */
  pending(runId?: string): OpenQuestion[] {
    const [only, values] = runId === undefined ? ["", []] : [" AND run_id = ?", [runId]];
    return this.#connection
      .prepare<GateRow>(`SELECT * FROM gates WHERE answer IS NULL AND closed = 0${only} ORDER BY presented, key`)
      .all(values)
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

  #open(runId: string, key: string): GateRow | undefined {
    const row = this.#row(runId, key);
    return row?.closed === 0 ? row : undefined;
  }

  #row(runId: string, key: string): GateRow | undefined {
    return this.#connection
      .prepare<GateRow>("SELECT * FROM gates WHERE run_id = ? AND key = ?")
      .get([runId, keptText(key)]);
  }
}
