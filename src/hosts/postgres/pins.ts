// The files that a drive of a run is made from: each text is kept once, by hash, and signed for the run that uses it.
import { contentHash } from "../rows/content-hash.ts";
import { StoreError } from "../store-error.ts";
import type { Database, Queries } from "./database.ts";
import { KEY_ID_LENGTH, MARK, type Seal } from "./seal.ts";

export async function pinSources(
  sql: Queries,
  seal: Seal,
  runId: string,
  drive: number,
  sources: ReadonlyMap<string, string>,
): Promise<void> {
  await sql.run("delete from segno.pins where run_id = $1 and drive = $2", [runId, drive]);
  for (const [path, text] of sources) {
    const hash = contentHash(text);
    // As JSON: Postgres takes no zero character in a text.
    const data = seal.close(JSON.stringify(text), ["source", hash]);
    const made = await sql.run("insert into segno.sources (hash, data) values ($1, $2) on conflict do nothing", [
      hash,
      data,
    ]);
    if (made === 0) await sealAnew(sql, seal, { hash, data });
    await sql.run("insert into segno.pins (run_id, drive, path, hash, mac) values ($1, $2, $3, $4, $5)", [
      runId,
      drive,
      path,
      hash,
      seal.sign(text, [runId, drive, path]),
    ]);
  }
}

/** A text that is there under a key that is not here: whoever is to run with it could not open it. */
async function sealAnew(
  sql: Queries,
  { keyIds, isSealed }: Seal,
  { hash, data }: { readonly hash: string; readonly data: string },
): Promise<void> {
  if (!isSealed) return;
  await sql.run("update segno.sources set data = $2 where hash = $1 and not left(data, $3::int) = any($4::text[])", [
    ...[hash, data, MARK.length + KEY_ID_LENGTH],
    keyIds.map((id) => `${MARK}${id}`),
  ]);
}

interface PinRow {
  readonly path: string;
  readonly drive: number;
  readonly hash: string;
  readonly mac: string | null;
  readonly data: string;
}

/** Those of one drive, or of the newest. A text that is not what was pinned is refused: it would be executed. */
export async function pinnedSources(
  database: Database,
  seal: Seal,
  runId: string,
  drive?: number,
): Promise<Map<string, string>> {
  const rows = await database.rows<PinRow>(
    `select path, drive, hash, mac, data from segno.pins join segno.sources using (hash)
     where run_id = $1 and drive = coalesce($2::int, (select max(drive) from segno.pins where run_id = $1)) order by path`,
    [runId, drive ?? null],
  );
  return new Map(
    rows.map(({ path, hash, mac, data, drive: pinned }) => {
      const text = JSON.parse(seal.open(data, ["source", hash])) as string;
      if (contentHash(text) !== hash || !seal.isSigned(text, [runId, pinned, path], mac))
        throw new StoreError(
          "corrupt",
          `${path} of run ${runId} is not what was pinned: somebody changed it in the database, or pinned it without SEGNO_SEAL_KEY. It is not used.`,
          runId,
        );
      return [path, text];
    }),
  );
}
