// Reading a run from its journal.db: at any time, also while another process writes it.
import type { RunEvent } from "../../base/events/registry.ts";
import { guarded } from "../files/guarded.ts";
import type { LeaseHolder } from "../liveness.ts";
import { decodeBatch, isPrinted, printedText } from "../rows/batch.ts";
import type { Fetch } from "../rows/spill.ts";
import type { RunMeta, RunReader, SecretInputs, SecretsToKeep } from "../run-reader.ts";
import type { Connection, Statement } from "../sqlite/connection.ts";
import { Blobs } from "./blobs.ts";
import { orClosed } from "./database-file.ts";
import { journalPath, leaseHolder, readJournal, readMeta } from "./journal.ts";
import { isKept, keptKeyframe, keptSecrets, pinnedSources, recordedSecrets } from "./kept-with-run.ts";

interface BatchRow {
  readonly first_seq: number;
  readonly data: string;
}

/** Rows that are read at a time. No read stays open between two pages, so a slow reader never keeps the journal from being tidied. */
const PAGE = 200;

export class JournalReader implements RunReader {
  readonly runId: string;
  protected readonly blobs: Blobs;
  #page: Statement<BatchRow> | undefined;
  /** For what is said when reading fails; made once, since every row is read under them. */
  readonly #doing: string;
  readonly #path: string;

  constructor(
    readonly folder: string,
    protected readonly connection: Connection,
    readonly meta: RunMeta,
  ) {
    this.runId = meta.runId;
    this.blobs = new Blobs(folder);
    this.#doing = `reading run ${meta.runId}`;
    this.#path = journalPath(folder);
  }

  get lastSeq(): number {
    return this.reading(
      () =>
        this.connection
          .prepare<{ last: number | null }>(
            "SELECT max(last_seq) AS last FROM (SELECT last_seq FROM batches ORDER BY first_seq DESC LIMIT 1)",
          )
          .get([])?.last ?? 0,
    );
  }

  *events(after = 0): Generator<RunEvent> {
    // The row that holds `after` may hold later events too, so reading begins with it. It ends with what is there now: a
    // slow reader would never come to the end of a run that is being written.
    const range = this.reading(() =>
      this.connection
        .prepare<{ first: number | null; last: number | null }>(
          "SELECT (SELECT max(first_seq) FROM batches WHERE first_seq <= ?) AS first, (SELECT max(first_seq) FROM batches) AS last",
        )
        .get([after]),
    );
    const last = range?.last ?? 0;
    const { runId, fetch } = this;
    for (let from = range?.first ?? 0; from <= last; ) {
      const rows = this.reading(() => this.#pages().all([from, last]));
      for (const row of rows) {
        const batch = this.reading(() => decodeBatch(row.data, { runId, firstSeq: row.first_seq, fetch }));
        for (const event of batch) if (event.seq > after) yield event;
        from = row.first_seq + 1;
      }
      if (rows.length < PAGE) return;
    }
  }

  /** Whether a row names what was printed: rewriting what it names would leave it without. */
  protected get namesPrinted(): boolean {
    return (
      this.connection.prepare(`SELECT 1 FROM batches WHERE data LIKE '%"$blob":"printed:%' LIMIT 1`).get([]) !==
      undefined
    );
  }

  protected rewrite(rowOf: (events: readonly RunEvent[]) => string): void {
    const { runId, fetch } = this;
    const update = this.connection.prepare("UPDATE batches SET data = ? WHERE first_seq = ?");
    for (let from = 0; ; ) {
      const rows = this.#pages().all([from, Number.MAX_SAFE_INTEGER]);
      for (const { first_seq, data } of rows) {
        update.run([rowOf(decodeBatch(data, { runId, firstSeq: first_seq, fetch })), first_seq]);
        from = first_seq + 1;
      }
      if (rows.length < PAGE) return;
    }
  }

  /** The text of a value that is kept outside its row. */
  protected readonly fetch: Fetch = (name) =>
    isPrinted(name)
      ? printedText(name, (first, last) => this.#rowsOf(first, last), this.fetch, this.#path)
      : this.blobs.fetch(name);

  #rowsOf(first: number, last: number): readonly BatchRow[] {
    return this.connection
      .prepare<BatchRow>(
        "SELECT first_seq, data FROM batches WHERE first_seq BETWEEN (SELECT max(first_seq) FROM batches WHERE first_seq <= ?) AND ? ORDER BY first_seq",
      )
      .all([first, last]);
  }

  #pages(): Statement<BatchRow> {
    this.#page ??= this.connection.prepare(
      `SELECT first_seq, data FROM batches WHERE first_seq BETWEEN ? AND ? ORDER BY first_seq LIMIT ${PAGE}`,
    );
    return this.#page;
  }

  keyframe(): string | undefined {
    return this.reading(() => keptKeyframe(this.connection, this.fetch));
  }

  holder(): LeaseHolder | undefined {
    return this.reading(() => leaseHolder(this.connection));
  }

  pinned(drive?: number): Map<string, string> {
    return this.reading(() => pinnedSources(this.connection, drive));
  }

  secrets(): SecretInputs {
    return keptSecrets(this.folder).inputs;
  }

  seenSecrets(): SecretsToKeep {
    return keptSecrets(this.folder).met;
  }

  hasLostSecrets(): boolean {
    return !isKept(this.folder) && this.reading(() => recordedSecrets(this.connection)) === "kept";
  }

  hasForgottenSecrets(): boolean {
    return this.reading(() => recordedSecrets(this.connection)) === "forgotten";
  }

  close(): void {
    this.connection.close();
  }

  protected reading<Result>(work: () => Result): Result {
    return guarded(this.#doing, this.#path, work);
  }
}

export function openReader(folder: string, runId: string): JournalReader {
  const path = journalPath(folder);
  return guarded(`reading run ${runId}`, path, () =>
    orClosed(readJournal(folder), (connection) => new JournalReader(folder, connection, readMeta(connection, path))),
  );
}
