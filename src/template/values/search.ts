// Looking for one text in another. A long needle in a long text can take very long in
// the worst case, so it is paid for by the product of both.

import { spend } from "../limits.ts";

export function paySearch(text: string, needle: string): void {
  const rounds = needle.length > 64 ? (text.length / 4096) * needle.length : text.length / 64;
  spend(1 + Math.floor(rounds));
}

export function countOf(text: string, needle: string): number {
  paySearch(text, needle);
  let count = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) count++;
  return count;
}
