// Leaves of the declarations those that the package's doors lead to: the rest is nobody's business, and needs packages
// that users do not have. What is left speaks of the files that are there, and those end in .js.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const IMPORT = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** Removes what cannot be reached from `doors`, paths below `folder`. */
export function pruneTypes(folder, doors) {
  const reached = new Set();
  const queue = doors.map((door) => resolve(folder, door));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const text = readFileSync(file, "utf8");
    writeFileSync(
      file,
      text.replace(IMPORT, (found) => found.replace(/\.ts"$/, '.js"')),
    );
    for (const [, path] of text.matchAll(IMPORT)) {
      const declared = resolve(dirname(file), path.replace(/\.[jt]s$/, ".d.ts"));
      if (!existsSync(declared)) throw new Error(`${file} imports ${path}, which is not declared`);
      queue.push(declared);
    }
  }
  removeBut(reached, resolve(folder));
}

/** True when nothing is left of the folder. */
function removeBut(kept, folder) {
  let isEmpty = true;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isGone = entry.isDirectory() ? removeBut(kept, path) : !kept.has(path);
    if (isGone) rmSync(path, { recursive: true, force: true });
    else isEmpty = false;
  }
  return isEmpty;
}
