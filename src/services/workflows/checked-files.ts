// What was found about workflow files, as long as nothing has changed that it was found from: checking two hundred files
// takes seconds, and a page asks for the list again and again.
import { statSync } from "node:fs";
import type { LoadWorld } from "../../language/loaded.ts";

/** By path: how each file or folder was that was looked at. */
type Looked = ReadonlyMap<string, string>;

export class CheckedFiles<Found> {
  readonly #known = new Map<string, { readonly looked: Looked; readonly found: Found }>();

  /** `check` reads through the files that it is given, so that all it looks at is known. */
  of(file: string, files: LoadWorld, check: (files: LoadWorld) => Found): Found {
    const known = this.#known.get(file);
    if (known && [...known.looked].every(([path, mark]) => markOf(path) === mark)) return known.found;
    const looked = new Map<string, string>();
    const found = check(noting(files, (path) => looked.set(path, markOf(path))));
    this.#known.set(file, { looked, found });
    return found;
  }
}

/** Noted before it is read: what changes meanwhile is looked at again. */
const noting = ({ env, list, ...files }: LoadWorld, note: (path: string) => void): LoadWorld => ({
  env,
  read(file) {
    note(file);
    return files.read(file);
  },
  exists(path) {
    note(path);
    return files.exists(path);
  },
  ...(list
    ? {
        list: (folder: string) => {
          note(folder);
          return list(folder);
        },
      }
    : {}),
});

function markOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : "";
}
