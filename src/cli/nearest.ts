// Did-you-mean on the command line: mistyped names, and names that were only begun.
import { nearest as byDistance } from "../results/nearest.ts";

/** At most three, best first. */
export function nearest(word: string, names: readonly string[]): readonly string[] {
  const begun = word.length > 2 ? names.filter((name) => name.startsWith(word.toLowerCase())) : [];
  return begun.length > 0 ? begun.slice(0, 3) : byDistance(word, names);
}

/** ` Did you mean "validate"?`, or nothing. */
export function didYouMean(suggestions: readonly string[]): string {
  if (suggestions.length === 0) return "";
  const quoted = suggestions.map((name) => `"${name}"`);
  const last = quoted.pop();
  return ` Did you mean ${quoted.length ? `${quoted.join(", ")} or ${last}` : last}?`;
}
