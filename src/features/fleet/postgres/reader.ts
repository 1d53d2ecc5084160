// Reading a run from the database: at any time, also while a worker writes it. And its big values, each kept once, by its hash.
import type { RunEvent } from "../../../base/events/registry.ts";
import type { LeaseHolder } from "../../../storage/liveness.ts";
import { decodeBatch, encodeRow } from "../../../storage/rows/batch.ts";
import { contentHash, type KeptSecrets } from "../../../storage/rows/columns.ts";
import type { DataText } from "../../../storage/rows/data-text.ts";
import { blobNamesIn } from "../../../storage/rows/spill.ts";
import type { RunMeta, RunReader, SecretInputs, SecretsToKeep } from "../../../storage/run-reader.ts";
import type { Seal } from "../../../storage/state/seal.ts";
import { ChangedInDatabase, type StoreError } from "../../../storage/store-error.ts";
import type { Database } from "./database.ts";
import { leaseHolder, MAIN } from "./lease.ts";
import type { FleetMembers } from "./members.ts";
import { keptSecrets } from "./secrets.ts";
import { pinnedSources } from "./sources.ts";

export interface StoreAccess {
  readonly database: Database;
  readonly members: FleetMembers;
  readonly seal: Seal;
  folderOf(runId: string): string;
}

export interface BatchRow {
  readonly first_seq: string;
  readonly last_seq: string;
  readonly data: string;
}

const PAGE = 200;

export class PostgresReader implements RunReader {
  readonly runId: string;
  readonly folder: string;
  protected readonly blobs: BlobTable;

  /** `stream`: the run's own, or that of a branch. */
  constructor(
    protected readonly access: StoreAccess,
    readonly meta: RunMeta,
    protected readonly stream: string = MAIN,
  ) {
    this.runId = meta.runId;
    this.folder = access.folderOf(meta.runId);
    this.blobs = new BlobTable(access.database, access.seal, meta.runId);
  }

  get lastSeq(): number | Promise<number> {
    const rows = this.access.database.rows<{ last: string | null }>(
      "select last_seq as last from segno.events where run_id = $1 and stream = $2 order by first_seq desc limit 1",
      [this.runId, this.stream],
    );
    return rows.then(([row]) => Number(row?.last ?? 0));
  }

  /** One page after the other; what is written after the first look is for who asks again. */
  async *events(after = 0): AsyncGenerator<RunEvent> {
    const { database } = this.access;
    const [range] = await database.rows<{ first: string | null; last: string | null }>(
      `select (select max(first_seq) from segno.events where run_id = $1 and stream = $2 and first_seq <= $3) as first,
              (select max(first_seq) from segno.events where run_id = $1 and stream = $2) as last`,
      [this.runId, this.stream, after],
    );
    const last = Number(range?.last ?? 0);
    let next = after + 1;
    for (let from = Number(range?.first ?? 0); from <= last; ) {
      const rows = await database.rows<BatchRow>(
        `select first_seq, last_seq, data from segno.events
         where run_id = $1 and stream = $2 and first_seq between $3 and $4 order by first_seq limit ${PAGE}`,
        [this.runId, this.stream, from, last],
      );
      for (const row of rows) {
        const first = Number(row.first_seq);
        if (first > next) throw missing(this.runId, next, first);
        const events = await this.decoded(row);
        from = first + 1;
        next = first + events.length;
        if (Number(row.last_seq) >= next) throw missing(this.runId, next, Number(row.last_seq) + 1);
        for (const event of events) if (event.seq > after) yield event;
      }
      if (rows.length < PAGE) return;
    }
  }

  protected async decoded({ first_seq, data }: BatchRow): Promise<readonly RunEvent[]> {
    const { runId } = this;
    const firstSeq = Number(first_seq);
    const text = this.access.seal.open(data, [runId, this.stream, firstSeq]);
    const big = text.includes('"$blob"') ? await this.blobs.fetch(text) : undefined;
    const fetch = (name: string): string => {
      const value = big?.get(name.slice("sha256:".length));
      if (value === undefined) throw lostValue(runId, name);
      return value;
    };
    return decodeBatch(text, { runId, firstSeq, fetch });
  }

  holder(): Promise<LeaseHolder | undefined> {
    return leaseHolder(this.access.database, this.access.members, this.runId);
  }

  pinned(drive?: number): Promise<Map<string, string>> {
    return pinnedSources(this.access.database, this.access.seal, this.runId, drive);
  }

  async secrets(): Promise<SecretInputs> {
    return (await this.kept()).inputs;
  }

  async seenSecrets(): Promise<SecretsToKeep> {
    return (await this.kept()).met;
  }

  get secretsPlace(): string {
    return `the row of this run in segno.secrets, in ${this.access.database.shown}`;
  }

  /** They stand in the database beside the journal: what loses one loses both. */
  hasLostSecrets(): boolean {
    return false;
  }

  async hasForgottenSecrets(): Promise<boolean> {
    return (await this.kept()).forgotten === true;
  }

  protected kept(): Promise<KeptSecrets> {
    return keptSecrets(this.access.database, this.access.seal, this.runId);
  }

  async close(): Promise<void> {}
}

const missing = (runId: string, next: number, first: number): StoreError =>
  new ChangedInDatabase(
    `The journal of run ${runId} has no events ${next} to ${first - 1}: they were deleted in the database. The run cannot be read beyond them, nor resumed.`,
    runId,
  );

/** Of the values that a text refers to. What only looks like a reference is an author's value. */
const hashesIn = (text: string): readonly string[] =>
  blobNamesIn(text).flatMap((name) => /^sha256:([0-9a-f]{64})$/.exec(name)?.[1] ?? []);

/** Events as one row; what is too big for it goes to `big`, by its hash. */
export function encodedRow(
  runId: string,
  events: readonly RunEvent[],
  dataTexts: readonly DataText[],
  big: Map<string, string>,
): string {
  const keep = (value: string): string => {
    const hash = contentHash(value);
    big.set(hash, value);
    return `sha256:${hash}`;
  };
  return encodeRow(events, dataTexts, keep, { runId, place: runId });
}

export class BlobTable {
  /** What this process has written of the run already. */
  readonly #kept = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly seal: Seal,
    private readonly runId: string,
  ) {}

  async keep(texts: ReadonlyMap<string, string>): Promise<void> {
    for (const [hash, text] of texts) {
      if (this.#kept.has(hash)) continue;
      await this.database.run(
        "insert into segno.blobs (run_id, hash, data) values ($1, $2, $3) on conflict do nothing",
        [this.runId, hash, this.seal.close(text, [this.runId, "blob", hash])],
      );
      this.#kept.add(hash);
    }
  }

  /** All that a row speaks of, and what those speak of in turn. */
  async fetch(row: string): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (let wanted = hashesIn(row); wanted.length > 0; ) {
      const rows = await this.database.rows<{ hash: string; data: string }>(
        "select hash, data from segno.blobs where run_id = $1 and hash = any($2::text[])",
        [this.runId, wanted],
      );
      const next: string[] = [];
      for (const { hash, data } of rows) {
        const text = this.seal.open(data, [this.runId, "blob", hash]);
        if (contentHash(text) !== hash) throw lostValue(this.runId, hash);
        found.set(hash, text);
        next.push(...hashesIn(text).filter((one) => !found.has(one)));
      }
      for (const hash of wanted) if (!found.has(hash)) throw lostValue(this.runId, hash);
      wanted = next;
    }
    return found;
  }
}

const lostValue = (runId: string, hash: string): StoreError =>
  new ChangedInDatabase(
    `A big value of run ${runId} (${hash.replace("sha256:", "").slice(0, 12)}) is missing or damaged. A resume that is forced runs its steps again.`,
    runId,
  );
