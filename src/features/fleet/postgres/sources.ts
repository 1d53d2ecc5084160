// The texts of workflow files, shared by all runs: each is kept once for every key that a run was pinned with, so that no run
// needs another's key. And the pins of drives: which text each of their files has, signed for the run that uses it.
import { contentHash } from "../../../storage/rows/columns.ts";
import { isOpenTo, type Seal } from "../../../storage/state/seal.ts";
import { ONE_ROW, rows, type Sql, sql } from "../../../storage/state/sql.ts";
import { ChangedInDatabase } from "../../../storage/store-error.ts";
import { type Database, doneIn, type Queries, type Transaction } from "./database.ts";

/** The key that a pin is signed with: every worker that may run with the text has it. */
const KEY_OF_PIN = "coalesce(split_part(p.mac, ':', 1), '')";

const placeOf = (hash: string) => ["source", hash] as const;

/** As JSON: Postgres takes no zero character in a text. */
const keptSource = (seal: Seal, hash: string, text: string): string => seal.close(JSON.stringify(text), placeOf(hash));

/** `copies`: the text under each key that it is kept with. Throws when none of these keys is here. */
function sourceFrom(seal: Seal, hash: string, copies: readonly string[]): string {
  const [first] = copies;
  if (first === undefined)
    throw new ChangedInDatabase(`The text ${hash.slice(0, 12)} of a workflow file is missing in the database.`, hash);
  const ours = copies.find((copy) => isOpenTo(seal, copy));
  return JSON.parse(seal.open(ours ?? first, placeOf(hash))) as string;
}

/** An older Segno kept one copy for all. Who has its key and a newer one adds a copy under the newer, if a pin is signed with that. */
export async function sealSourcesAnew(sql: Queries, seal: Seal): Promise<void> {
  const [key, ...older] = seal.keyIds;
  if (key === undefined || older.length === 0) return;
  const rows = await sql.rows<{ hash: string; data: string }>(
    `select hash, data from segno.sources s where key = any($2::text[])
       and exists (select 1 from segno.pins p where p.hash = s.hash and ${KEY_OF_PIN} = $1)
       and not exists (select 1 from segno.sources o where o.hash = s.hash and o.key = $1)`,
    [key, older],
  );
  for (const { hash, data } of rows)
    await sql.run("insert into segno.sources (hash, data) values ($1, $2) on conflict do nothing", [
      hash,
      keptSource(seal, hash, sourceFrom(seal, hash, [data])),
    ]);
}

/** Of a pin `p` and a copy `s`: pinned with the copy's key, or with one that there is no copy for. */
export const NEEDED_BY_PIN = `p.hash = s.hash and (${KEY_OF_PIN} = s.key or not exists (
  select 1 from segno.sources o where o.hash = s.hash and o.key = ${KEY_OF_PIN}))`;

/** Shared by who pins a text that may be there already, until it has: no process removes it meanwhile. */
const SOURCES_LOCK = 5_239_017_406;

/** Of the texts with these hashes, those that no run has, in a transaction: pins that are about to be there are waited for. */
export async function removeUnpinned(sql: Transaction, hashes: readonly string[]): Promise<void> {
  await sql.rows("select pg_advisory_xact_lock($1::bigint)", [SOURCES_LOCK]);
  await sql.run(
    `delete from segno.sources s using (select hash from unnest($1::text[]) hash
       where not exists (select 1 from segno.pins p where p.hash = hash.hash)) gone where s.hash = gone.hash`,
    [hashes],
  );
}

/** Of texts that are kept under several keys, the copies that no run needs any more. Most fleets have no such texts. */
export async function removeUnneededCopies(sql: Queries): Promise<void> {
  const several = await sql.rows<{ hash: string }>("select hash from segno.sources group by hash having count(*) > 1");
  if (several.length > 0)
    await sql.run(
      `delete from segno.sources s where s.hash = any($1::text[])
         and not exists (select 1 from segno.pins p where ${NEEDED_BY_PIN})`,
      [several.map(({ hash }) => hash)],
    );
}

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
          `${path} of run ${runId} is not what was pinned: it was changed in the database, or pinned without SEGNO_SEAL_KEY. Segno does not use it.`,
          runId,
        );
      return [path, text];
    }),
  );
}
