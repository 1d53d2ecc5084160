// Packages that are there only if the user installed them. The name is known at run time only: bundlers leave it alone,
// and the compiler does not look for its types.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the command line leaves an `import()` that works: in scripts of which compiled code is kept, Node 20 has none. */
const IMPORT = Symbol.for("segno.import");

type Import = (name: string) => Promise<unknown>;

export function loadPackage(name: string): Promise<unknown> {
  const given = (globalThis as { [IMPORT]?: Import })[IMPORT];
  return given ? given(name) : import(name);
}

/** Where a package is that is installed beside Segno, or where Node looks for Segno's own. */
export function installedFolder(name: string): string | undefined {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return paths.map((path) => join(path, name)).find((folder) => existsSync(join(folder, "package.json")));
}

export function ownFolder(): string | undefined {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
    if (dirname(at) === at) return undefined;
  }
}
