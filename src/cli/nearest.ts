// Did-you-mean: the names that a mistyped one most likely stands for.
import { distance } from "fastest-levenshtein";

/** At most three, best first. A third of the letters may be wrong; what begins alike counts as near. */
export function nearest(word: string, names: readonly string[]): readonly string[] {
  const wanted = word.toLowerCase();
  return names
    .map((name) => ({ name, off: off(wanted, name.toLowerCase()) }))
    .filter(({ name, off }) => off <= Math.max(1, Math.floor(Math.max(word.length, name.length) / 3)))
    .sort((a, b) => a.off - b.off)
    .slice(0, 3)
    .map(({ name }) => name);
}

const off = (wanted: string, name: string): number => {
  if (wanted.length > 2 && name.startsWith(wanted)) return 1;
  return distance(wanted, name);
};

/** ` Did you mean "validate"?`, or nothing. */
export function didYouMean(suggestions: readonly string[]): string {
  if (suggestions.length === 0) return "";
  const quoted = suggestions.map((name) => `"${name}"`);
  const last = quoted.pop();
  return ` Did you mean ${quoted.length ? `${quoted.join(", ")} or ${last}` : last}?`;
}
