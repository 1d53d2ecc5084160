// Keys and names as Postgres can hold them. A key may have any characters and any length, and Postgres takes no zero
// character, no half of a surrogate pair, and nothing long in an index. Plain short keys stand as they are, odd ones as
// JSON, and of long ones the index has a digest, with the whole beside it. On a sealed fleet the same holds for keys with an
// item's own key in them, which is data of the run: the digest needs the fleet's key, and the whole is sealed.
import { createHash } from "node:crypto";
import { DIGEST, keptText, textKept } from "../rows/kept-text.ts";
import { MARK, type Seal, UNSEALED } from "../state/seal.ts";
import type { KeptKey } from "../state/sql.ts";
import { ChangedInDatabase } from "../store-error.ts";

/** In bytes; two of them fit into one row of an index. */
const LONGEST = 1000;

const digestOf = (json: string): string => `${DIGEST}${createHash("sha256").update(json).digest("hex")}`;

/** An item that is not only counted. */
const NAMED_ITEM = /\[(?!\d{1,15}\])/;

const placeOf = (key: string): readonly string[] => ["key", key];

/** `seal`: of keys that have data of runs in them; a name out of a workflow file has none. */
export function keptKey(key: string, seal: Seal = UNSEALED): KeptKey {
  const compared = comparedKey(key, seal);
  if (!compared.startsWith(DIGEST)) return { key: compared, whole: null };
  return { key: compared, whole: seal.close(JSON.stringify(key), placeOf(compared)) };
}

/** What a new row has. */
export const comparedKey = (key: string, seal: Seal = UNSEALED): string => comparedKeys(key, seal)[0];

/** What a row may have, the newest form first: it may have been written under an earlier key, or by an older Segno. */
export function comparedKeys(key: string, seal: Seal): readonly [string, ...string[]] {
  const text = keptText(key);
  const plain = Buffer.byteLength(text) <= LONGEST ? text : digestOf(JSON.stringify(key));
  if (!seal.isSealed || !NAMED_ITEM.test(key)) return [plain];
  const [newest, ...older] = seal.digests(JSON.stringify(key), ["key"]).map((digest) => `${DIGEST}${digest}`);
  return newest === undefined ? [plain] : [newest, ...older, plain];
}

export function keyKept({ key, whole = null }: KeptKey, seal: Seal = UNSEALED): string {
  if (whole === null) return textKept(key);
  if (whole.startsWith(MARK)) return JSON.parse(seal.open(whole, placeOf(key))) as string;
  if (digestOf(whole) === key) return JSON.parse(whole) as string;
  throw new ChangedInDatabase(
    `A long key in the database (${key}) does not fit its digest: somebody changed it. It is not used.`,
    key,
  );
}
