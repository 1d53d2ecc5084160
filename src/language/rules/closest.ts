// Names close to a word, judged from both sides: `planr` is two letters short of `planner`, which is much for the
// short word and little for the long one.
import { nearest } from "../../errors/nearest.ts";

/** The nearest candidates, best first, at most three. */
export function closest(word: string, candidates: Iterable<string>): readonly string[] {
  const names = [...new Set(candidates)];
  const found = nearest(word, names);
  if (found.length > 0) return found;
  return names.filter((name) => nearest(name, [word]).length > 0).slice(0, 3);
}
