// Finds the person of a token, for the page. A file of its own, since it needs cryptography, which most commands never
// load.
import { createHash, timingSafeEqual } from "node:crypto";
import type { PeopleBook } from "./people.ts";

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The person that a token belongs to. Every token is compared, and in constant time, so nothing is learnt from how long it takes. */
export function personOfToken(token: string, { people }: PeopleBook): string | undefined {
  const given = sha256(token);
  let found: string | undefined;
  for (const [name, { token: plain, token_sha256 }] of Object.entries(people)) {
    const kept = token_sha256 !== undefined ? Buffer.from(token_sha256, "hex") : plain ? sha256(plain) : undefined;
    if (kept !== undefined && timingSafeEqual(kept, given) && token !== "") found ??= name;
  }
  return found;
}
