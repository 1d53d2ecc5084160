// Dead letters: steps and items that failed for good, with everything needed to try again later.
import { withAct } from "../../letter-acts.ts";
import type { ProcessName } from "../../liveness.ts";
import { keptText, textKept } from "../../rows/kept-text.ts";
import { type LetterRow, storedLetter } from "../../rows/letter-row.ts";
import { isoTime } from "../../rows/time.ts";
import type {
  Letter,
  LetterAct,
  LetterFilter,
  LetterHead,
  LetterStatus,
  Letters,
  NewLetter,
} from "../../shared-state.ts";
import type { Connection, SqlValue } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";
import type { Owners } from "./owners.ts";

interface OwnedRow extends LetterRow {
  readonly owner: ProcessName | null;
}

export class LetterTable implements Letters {
  readonly #connection: Connection;
  readonly #owners: Owners;
  readonly #now: () => number;

  constructor(connection: Connection, owners: Owners, now: () => number) {
    this.#connection = connection;
    this.#owners = owners;
    this.#now = now;
  }

  /** Keeps a letter and gives its id: that of the earlier letter when the same place failed before. */
  put(letter: NewLetter): string {
    const now = this.#now();
    const place = keptText(letter.place);
    return immediately(this.#connection, () => {
      this.#connection
        .prepare(
          `INSERT INTO letters (id, run_id, place, workflow, node, kind, status, first_seen, last_seen, count, body)
           VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?, 1, ?)
           ON CONFLICT (run_id, place) DO UPDATE SET kind = excluded.kind, status = 'open', owner = NULL,
             last_seen = excluded.last_seen, count = count + 1, body = excluded.body`,
        )
        .run([
          ...[letter.id, letter.runId, place, letter.workflow, letter.node, letter.kind],
          ...[now, now, JSON.stringify(letter.body)],
        ]);
      const kept = this.#connection
        .prepare<{ id: string }>("SELECT id FROM letters WHERE run_id = ? AND place = ?")
        .get([letter.runId, place]);
      return kept?.id ?? letter.id;
    });
  }

  get(id: string): Letter | undefined {
    const row = this.#row(id);
    return row && this.#letter(row);
  }

  /** Newest first. */
  list(filter: LetterFilter = {}): Letter[] {
    const statuses = filter.status === undefined ? [] : [filter.status].flat();
    const { where, values } = conditions(filter);
    // A claim of a dead process counts as open, which only the processes can tell: so statuses are filtered here, before
    // the bodies are read.
    const heads = this.#connection
      .prepare<Pick<OwnedRow, "id" | "status" | "owner">>(
        `SELECT id, status, owner FROM letters ${where} ORDER BY last_seen DESC, id DESC`,
      )
      .all(values);
    const wanted = heads.filter((head) => statuses.length === 0 || statuses.includes(this.#status(head)));
    const read = this.#connection.prepare<OwnedRow>("SELECT * FROM letters WHERE id = ?");
    return wanted.slice(0, filter.limit).flatMap(({ id }) => {
      const row = read.get([id]);
      return row ? [this.#letter(row)] : [];
    });
  }

  unsettled(): LetterHead[] {
    return this.#connection
      .prepare<Omit<LetterRow, "body">>(
        `SELECT id, run_id, workflow, kind, last_seen, count FROM letters WHERE status IN ('open', 'retrying')
         ORDER BY last_seen DESC, id DESC`,
      )
      .all([])
      .map(({ id, run_id: runId, workflow, kind, last_seen, count }) => ({
        ...{ id, runId, workflow, kind, lastSeen: isoTime(last_seen), count },
      }));
  }

  claim(ids: readonly string[], owner: ProcessName = this.#owners.self()): string[] {
    return immediately(this.#connection, () => {
      const take = this.#connection.prepare("UPDATE letters SET status = 'retrying', owner = ? WHERE id = ?");
      return ids.filter((id) => {
        const row = this.#row(id);
        if (!row || this.#status(row) !== "open") return false;
        take.run([owner, id]);
        return true;
      });
    });
  }

  setStatus(ids: readonly string[], status: LetterStatus, act?: LetterAct): Letter[] {
    return immediately(this.#connection, () => {
      const change = this.#connection.prepare(
        "UPDATE letters SET status = ?, owner = CASE WHEN ? = 'retrying' THEN owner END, body = ? WHERE id = ?",
      );
      return ids.flatMap((id) => {
        const row = this.#row(id);
        if (!row) return [];
        const body = act ? JSON.stringify(withAct(JSON.parse(row.body) as Letter["body"], act)) : row.body;
        change.run([status, status, body, id]);
        return this.get(id) ?? [];
      });
    });
  }

  /** Removes letters last seen before that time, and says how many. Those being retried stay. */
  expire(olderThan: number): number {
    return this.#connection
      .prepare("DELETE FROM letters WHERE last_seen < ? AND status <> 'retrying'")
      .run([olderThan]);
  }

  #row(id: string): OwnedRow | undefined {
    return this.#connection.prepare<OwnedRow>("SELECT * FROM letters WHERE id = ?").get([id]);
  }

  #status({ status, owner }: Pick<OwnedRow, "status" | "owner">): LetterStatus {
    return status === "retrying" && (owner === null || !this.#owners.isAlive(owner)) ? "open" : status;
  }

  #letter(row: OwnedRow): Letter {
    return storedLetter(
      { ...row, place: textKept(row.place) },
      { status: this.#status(row), body: JSON.parse(row.body) as Letter["body"] },
    );
  }
}

/** The part of a filter that SQL can judge. */
function conditions({ kind, workflow, runId, since }: LetterFilter): { where: string; values: SqlValue[] } {
  const tests: [string, ...SqlValue[]][] = [];
  // `external.*` is everything from `external.` up to, but not including, `external/`, the next character.
  if (kind?.endsWith(".*")) tests.push(["kind >= ? AND kind < ?", kind.slice(0, -1), `${kind.slice(0, -2)}/`]);
  else if (kind !== undefined && kind !== "*") tests.push(["kind = ?", kind]);
  if (workflow !== undefined) tests.push(["workflow = ?", workflow]);
  if (runId !== undefined) tests.push(["run_id = ?", runId]);
  if (since !== undefined) tests.push(["last_seen >= ?", since]);
  const where = tests.length > 0 ? `WHERE ${tests.map(([test]) => test).join(" AND ")}` : "";
  return { where, values: tests.flatMap(([, ...values]) => values) };
}
