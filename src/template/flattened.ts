// `planner_output_score` for `planner.output.score`: bare conditions may name a value
// with underscores instead of dots. Step names have underscores too, so all cuts are tried.

/** More parts than any name has; bounds the search. */
const MAX_PARTS = 24;

/**
 * The path a flattened name stands for, or undefined. `has` says whether a path exists;
 * the longest name that exists is taken at each level.
 *
 * @example resolveFlattened("my_step_output_x", has) // ["my_step", "output", "x"]
 */
export function resolveFlattened(name: string, has: (path: readonly string[]) => boolean): string[] | undefined {
  const parts = name.split("_");
  if (parts.length < 2 || parts.length > MAX_PARTS) return undefined;
  let tries = 0;
  const search = (path: readonly string[], from: number): string[] | undefined => {
    for (let to = parts.length; to > from; to--) {
      if (++tries > 1000) return undefined;
      const next = [...path, parts.slice(from, to).join("_")];
      if (!has(next)) continue;
      const found = to === parts.length ? next : search(next, to);
      if (found) return found;
    }
    return undefined;
  };
  return search([], 0);
}
