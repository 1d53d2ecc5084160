// The texts of workflow files, shared by all runs: each is kept once for every key that a run of it was pinned with, so that no
// run needs another's key.

import { isOpenTo, type Seal } from "../state/seal.ts";
import { ChangedInDatabase } from "../store-error.ts";
import type { Queries, Transaction } from "./database.ts";

/** The key that a pin is signed with: every worker that may run with the text has it. */
const KEY_OF_PIN = "coalesce(split_part(p.mac, ':', 1), '')";

const placeOf = (hash: string) => ["source", hash] as const;

/** As JSON: Postgres takes no zero character in a text. */
export const keptSource = (seal: Seal, hash: string, text: string): string =>
  seal.close(JSON.stringify(text), placeOf(hash));

/** `copies`: the text under each key that it is kept with. Throws when none of these keys is here. */
export function sourceFrom(seal: Seal, hash: string, copies: readonly string[]): string {
  const [first] = copies;
  if (first === undefined)
    throw new ChangedInDatabase(`The text ${hash.slice(0, 12)} of a workflow file is missing in the database.`, hash);
  const ours = copies.find((copy) => isOpenTo(seal, copy));
  return JSON.parse(seal.open(ours ?? first, placeOf(hash))) as string;
}

/**
 * An older Segno kept one copy for all, under the key of its first writer. A process that has that key and a newer one
 * adds a copy under the newer key, if a pin is signed with it.
 */
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
export const SOURCES_LOCK = 5_239_017_406;

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
