// "Did you mean …": names by edit distance, best first.
import { distance } from "fastest-levenshtein";

/** Up to three names that are near enough to be meant: a third of the word may differ, and always two letters. */
export function nearest(word: string, names: readonly string[]): string[] {
  const most = Math.max(2, Math.floor(word.length / 3));
  return names
    .map((name) => ({ name, far: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far, name }) => far <= most && far < name.length)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}
