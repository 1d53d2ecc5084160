// What the guards of a text say about other steps. `{% if reviewer is defined %}` also tells that whatever must run
// before the reviewer has run. Which branch a read stands in is not known here, so guards count for their whole text.
import type { Facts } from "../analysis/facts.ts";
import type { Read } from "../analysis/reads.ts";
import type { Site } from "../analysis/sites.ts";

/** The steps and groups that a text reads under a guard. */
export function guardedNames(reads: readonly Read[], facts: Facts): (site: Site) => readonly string[] {
  const found = new Map<Site, Set<string>>();
  for (const { site, path, guarded, needsRoot } of reads) {
    const [root] = path;
    if (!guarded || needsRoot || typeof root !== "string" || !facts.nodes.names.has(root)) continue;
    const names = found.get(site) ?? new Set<string>();
    found.set(site, names.add(root));
  }
  return (site) => [...(found.get(site) ?? [])];
}

/** Whether one of the guarded steps can only have run after `name`. */
export const isImplied = (name: string, guarded: readonly string[], facts: Facts): boolean =>
  guarded.some((other) => other !== name && facts.graph.reachable.has(other) && facts.graph.needs(other, name));
