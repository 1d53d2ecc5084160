// What was built last, which `npm test` does first: which source files are loaded together.
import { readFileSync } from "node:fs";
import type { Metafile } from "esbuild";

const outputs: Metafile["outputs"] = JSON.parse(readFileSync("dist/chunks.json", "utf8"));
const built = [...new Set(Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)))];

/** Source files in the chunk of a file, and in all that it imports at once. */
export function loadedWith(entry: string): readonly string[] {
  const first = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === entry);
  // Without a chunk nothing would be loaded, and everything that is forbidden would be absent.
  if (first === undefined) throw new Error(`${entry} has no chunk of its own.`);
  return [...filesOf(first)];
}

/**
 * Those of the loaded files that are in one of the places, which are files or folders. Left out are those in one of
 * `allowed`. Each place has to hold something that was built: one that was moved or renamed would forbid nothing from then on.
 */
export function forbidden(
  loaded: readonly string[],
  places: readonly string[],
  allowed: readonly string[] = [],
): readonly string[] {
  const empty = [...places, ...allowed].filter((place) => !built.some((file) => isIn(file, place)));
  if (empty.length > 0) throw new Error(`Nothing that was built is in ${empty.join(", ")}. Was it moved?`);
  const isAllowed = (file: string): boolean => allowed.some((place) => isIn(file, place));
  return loaded.filter((file) => places.some((place) => isIn(file, place)) && !isAllowed(file)).sort();
}

/** A place that ends in `/` is a folder. A package may also be among the packages of another one. */
function isIn(file: string, place: string): boolean {
  const path = file.replace(/^.*\/(?=node_modules\/)/, "");
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}

function* filesOf(chunk: string, seen = new Set<string>()): Iterable<string> {
  if (seen.has(chunk)) return;
  seen.add(chunk);
  yield* Object.keys(outputs[chunk]?.inputs ?? {});
  for (const { path, kind } of outputs[chunk]?.imports ?? [])
    if (kind === "import-statement") yield* filesOf(path, seen);
}
