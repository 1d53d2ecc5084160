// The files that a drive of a run is made from: each text is found by hash, and signed for the run that uses it.
import { contentHash } from "../rows/kept-text.ts";
import type { Seal } from "../state/seal.ts";
import { ChangedInDatabase } from "../store-error.ts";
import type { Database, Queries } from "./database.ts";
import { keptSource, SOURCES_LOCK, sourceFrom } from "./sources.ts";

export async function pinSources(
  sql: Queries,
  seal: Seal,
  runId: string,
  drive: number,
  sources: ReadonlyMap<string, string>,
): Promise<void> {
  const pins = [...sources].map(([path, text]) => ({ path, text, hash: contentHash(text) }));
  // In one order, so that two who keep the same texts do not wait for each other.
  const texts = new Map(pins.map(({ hash, text }) => [hash, text]));
  const hashes = [...texts.keys()].sort();
  await sql.run(
    `with gone as (delete from segno.pins where run_id = $1 and drive = $2 and not path = any($3::text[])),
       kept as materialized (select pg_advisory_xact_lock_shared($8::bigint)),
       texts as (insert into segno.sources (hash, data) select t.* from kept, unnest($6::text[], $7::text[]) t
         on conflict do nothing)
     insert into segno.pins (run_id, drive, path, hash, mac) select $1, $2, * from unnest($3::text[], $4::text[], $5::text[])
     on conflict (run_id, drive, path) do update set hash = excluded.hash, mac = excluded.mac`,
    [
      ...[runId, drive, pins.map(({ path }) => path), pins.map(({ hash }) => hash)],
      pins.map(({ path, text }) => seal.sign(text, [runId, drive, path])),
      ...[hashes, hashes.map((hash) => keptSource(seal, hash, texts.get(hash) ?? "")), SOURCES_LOCK],
    ],
  );
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
