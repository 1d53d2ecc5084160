// The home that a project's file names. A clone can bring one along, with links in it that lead what is written somewhere
// else: such a home is not used.
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { exposure } from "./exposure.ts";

/** The folders that Segno writes into, by how deep they lie: `runs/ID/blobs`. What agents keep beside is their own. */
const WRITTEN: readonly RegExp[] = [/^(runs|worker)$/, /^/, /^blobs$/];

/** Why it is not used; nothing when it may be. `top` is the folder above which others may decide. */
export function whyNoHome(home: string, top: string): string | undefined {
  try {
    let there = home;
    while (!isThere(there)) there = dirname(there);
    const why = exposure(there, there.length < top.length ? there : top);
    return why ?? (there === home ? strayIn(home, 0) : undefined);
  } catch (problem) {
    // A file where a folder should be, or one that we may not look into.
    return `it cannot be looked into (${(problem as Error).message})`;
  }
}

/** Looked at by every command of a project with a home of its own, so it asks for names and kinds alone. */
function strayIn(folder: string, depth: number): string | undefined {
  for (const one of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, one.name);
    if (one.isSymbolicLink()) return `${path} is a link`;
    if (!one.isDirectory() || !WRITTEN[depth]?.test(one.name)) continue;
    const why = exposure(path, path) ?? strayIn(path, depth + 1);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Also a link to what is not there. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
