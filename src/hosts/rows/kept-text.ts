// Texts as databases can hold them: neither takes half of a surrogate pair, which would become another character, and a zero
// character ends a text or is refused. Such a text stands as JSON, every other as it is.
import { createHash } from "node:crypto";

/** What a long key begins with that is kept as a digest (postgres/kept-key.ts). */
export const DIGEST = "#sha256:";

const isOdd = (text: string): boolean =>
  /\0|\p{Surrogate}/u.test(text) || text.startsWith('"') || text.startsWith(DIGEST);

export const keptText = (text: string): string => (isOdd(text) ? JSON.stringify(text) : text);

export function textKept(kept: string): string {
  if (!kept.startsWith('"')) return kept;
  try {
    return JSON.parse(kept) as string;
  } catch {
    // Written before odd texts were kept as JSON.
    return kept;
  }
}

/** The name of a text that is kept once, however often it is spoken of. */
export const contentHash = (text: string): string => createHash("sha256").update(text).digest("hex");
