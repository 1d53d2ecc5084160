// Keys and names as Postgres can hold them. A key may have any characters and any length, and Postgres takes no zero
// character, no half of a surrogate pair, and nothing long in an index. Plain short keys stand as they are, odd ones as
// JSON, and of long ones the index has a digest, with the whole beside it.
import { createHash } from "node:crypto";
import { DIGEST, keptText, textKept } from "../rows/kept-text.ts";
import { ChangedInDatabase } from "../store-error.ts";

/** A key in two columns: what is compared, and the whole key where that is only its digest. */
export interface KeptKey {
  readonly key: string;
  readonly whole: string | null;
}

/** In bytes; two of them fit into one row of an index. */
const LONGEST = 1000;

const digestOf = (json: string): string => `${DIGEST}${createHash("sha256").update(json).digest("hex")}`;

export function keptKey(key: string): KeptKey {
  const text = keptText(key);
  if (Buffer.byteLength(text) <= LONGEST) return { key: text, whole: null };
  const json = JSON.stringify(key);
  return { key: digestOf(json), whole: json };
}

/** What is compared, where nobody asks for the key again. */
export const comparedKey = (key: string): string => keptKey(key).key;

export function keyKept({ key, whole }: KeptKey): string {
  if (whole === null) return textKept(key);
  if (digestOf(whole) === key) return JSON.parse(whole) as string;
  throw new ChangedInDatabase(
    `A long key in the database (${key}) does not fit its digest: somebody changed it. It is not used.`,
    key,
  );
}
