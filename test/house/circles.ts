// Circles in the import graph: files that reach each other, however far around.
import type { Import } from "./imports.ts";

/** Each circle as its files, in alphabetical order. A file that imports itself is a circle of one. */
export function circlesIn(imports: readonly Pick<Import, "from" | "to">[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of imports) next.set(from, (next.get(from) ?? new Set()).add(to));
  const reached = new Map<string, ReadonlySet<string>>([...next.keys()].map((file) => [file, reachedFrom(file, next)]));
  const seen = new Set<string>();
  return [...next.keys()].flatMap((file) => {
    if (seen.has(file) || !reached.get(file)?.has(file)) return [];
    const circle = [...(reached.get(file) ?? [])].filter((other) => reached.get(other)?.has(file));
    for (const one of circle) seen.add(one);
    return [circle.sort()];
  });
}

function reachedFrom(file: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [file];
  for (let one = open.pop(); one !== undefined; one = open.pop())
    for (const to of next.get(one) ?? [])
      if (!found.has(to)) {
        found.add(to);
        open.push(to);
      }
  return found;
}
