// The files that a drive of a run is made from: each text is found by hash, and signed for the run that uses it.
import { contentHash } from "../rows/kept-text.ts";
import type { Seal } from "../state/seal.ts";
import { ONE_ROW, rows, type Sql, sql } from "../state/sql.ts";
import { ChangedInDatabase } from "../store-error.ts";
import { type Database, doneIn, type Queries } from "./database.ts";
import { keptSource, SOURCES_LOCK, sourceFrom } from "./sources.ts";

/** Files, each by its path; and the drive that they are for. */
export interface Pinned {
  readonly drive: number;
  readonly sources: ReadonlyMap<string, string>;
}

/** Pins files in place of those that their drives had: parts of a statement. None are where the table `when` has no row. */
export function pinning(seal: Seal, runId: string, pinned: readonly Pinned[], when: Sql): Sql {
  const pins = pinned.flatMap(({ drive, sources }) =>
    [...sources].map(([path, text]) => {
      const hash = contentHash(text);
      return { drive, path, text, hash, mac: seal.sign(text, [runId, drive, path]) };
    }),
  );
  // In one order, so that two who keep the same texts do not wait for each other.
  const texts = new Map(pins.map(({ hash, text }) => [hash, text]));
  const hashes = [...texts.keys()].sort();
  const kept = hashes.map((hash) => keptSource(seal, hash, texts.get(hash) ?? ""));
  const column = (name: "path" | "hash" | "mac") => pins.map((pin) => pin[name]);
  return sql`kept as materialized (select pg_advisory_xact_lock_shared(${SOURCES_LOCK}::bigint) from ${when}),
    texts as (insert into segno.sources (hash, data) select t.* from kept, unnest(${hashes}::text[], ${kept}::text[]) t
      on conflict do nothing),
    pinned as materialized (select p.* from kept, unnest(${pins.map(({ drive }) => drive)}::int[], ${column("path")}::text[],
      ${column("hash")}::text[], ${column("mac")}::text[]) p (drive, path, hash, mac)),
    gone as (delete from segno.pins where run_id = ${runId} and exists (select 1 from kept)
      and drive = any(${pinned.map(({ drive }) => drive)}::int[]) and (drive, path) not in (select drive, path from pinned)),
    pins as (insert into segno.pins (run_id, drive, path, hash, mac) select ${runId}, pinned.* from pinned
      on conflict (run_id, drive, path) do update set hash = excluded.hash, mac = excluded.mac)`;
}

export async function pinSources(queries: Queries, seal: Seal, runId: string, pinned: Pinned): Promise<void> {
  await doneIn(queries, rows(sql`with ${pinning(seal, runId, [pinned], ONE_ROW)} select 1`));
}

export interface PinRow {
  readonly path: string;
  readonly drive: number;
  readonly hash: string;
  readonly mac: string | null;
  readonly copies: readonly string[];
}

/** Those of one drive, or of the newest. A text that is not what was pinned is refused: it would be executed. */
export async function pinnedSources(
  database: Database,
  seal: Seal,
  runId: string,
  drive?: number,
): Promise<Map<string, string>> {
  const rows = await database.rows<PinRow>(
    `select path, drive, hash, mac, array_agg(data order by key desc) as copies
     from segno.pins join segno.sources using (hash)
     where run_id = $1 and drive = coalesce($2::int, (select max(drive) from segno.pins where run_id = $1))
     group by path, drive, hash, mac order by path`,
    [runId, drive ?? null],
  );
  return sourcesOf(rows, seal, runId);
}

export function sourcesOf(rows: readonly PinRow[], seal: Seal, runId: string): Map<string, string> {
  return new Map(
    rows.map(({ path, hash, mac, copies, drive: pinned }) => {
      const text = sourceFrom(seal, hash, copies);
      if (contentHash(text) !== hash || !seal.isSigned(text, [runId, pinned, path], mac))
        throw new ChangedInDatabase(
          `${path} of run ${runId} is not what was pinned: somebody changed it in the database, or pinned it without SEGNO_SEAL_KEY. It is not used.`,
          runId,
        );
      return [path, text];
    }),
  );
}
