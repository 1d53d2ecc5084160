// Did-you-mean: the names that are close enough to a word to be what was meant.
import { distance } from "fastest-levenshtein";

/**
 * The nearest candidates to `word`, best first, at most `max`; none when nothing is close.
 *
 * @example nearest("comand", ["command", "args"]) // ["command"]
 */
export function nearest(word: string, candidates: Iterable<string>, max = 3): string[] {
  const wanted = fold(word);
  const scored: { readonly name: string; readonly score: number }[] = [];
  for (const name of new Set(candidates)) {
    const other = fold(name);
    // Without this, a pasted megabyte would be compared with every name.
    if (Math.abs(other.length - wanted.length) > 40) continue;
    // A long word may have more slips than a short one, but something of it must be right.
    const longest = Math.max(wanted.length, other.length);
    const allowed = Math.min(longest - 1, 4, Math.max(1, Math.floor((longest + 1) / 3)));
    const score = wanted === other ? 0 : isSwapped(wanted, other) ? 1 : distance(wanted, other);
    const isPart = wanted.length >= 3 && other.length >= 3 && (other.startsWith(wanted) || wanted.startsWith(other));
    if (score <= allowed || isPart) scored.push({ name, score: score <= allowed ? score : allowed + score / 100 });
  }
  return scored
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, max)
    .map(({ name }) => name);
}

/** Two neighbouring letters in the wrong order: one slip, which a distance counts as two. */
function isSwapped(word: string, other: string): boolean {
  if (word.length !== other.length) return false;
  let at = 0;
  while (at < word.length && word[at] === other[at]) at++;
  return word[at] === other[at + 1] && word[at + 1] === other[at] && word.slice(at + 2) === other.slice(at + 2);
}

const fold = (word: string): string => word.toLowerCase().replace(/[-_\s]/g, "");

/** "Did you mean `a`?", "Did you mean `a` or `b`?", or nothing. Lines for a terminal have quotes around names. */
export function didYouMean(names: readonly string[], mark: Mark = "`"): string {
  return names.length === 0 ? "" : ` Did you mean ${listedNames(names, "or", mark)}?`;
}

type Mark = "`" | '"';

/** `a`, `b` and `c`, each in backticks. */
export function listedNames(names: readonly string[], word: "and" | "or", mark: Mark = "`"): string {
  return enumerated(
    names.map((name) => `${mark}${name}${mark}`),
    word,
  );
}

/** `a, b and c`. */
export function enumerated(words: readonly string[], last = "and"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
