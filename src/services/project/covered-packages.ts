// Packages that a plugin takes in: each is covered whole, with the packages that it depends on, because which of its files
// it loads is decided only while it runs.
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMapping } from "../../errors/mapping.ts";
import { isBelow } from "../below.ts";
import { type Covered, take } from "./covered.ts";

const LOADABLE = /\.([cm]?js|json|node)$/;
const NAME = /^(?:@[\w.-]+\/)?[\w.-]+/;

/** Adds the package that `wanted` is of, as it is found from a folder upwards, but not above the project. */
export function packageFiles(wanted: string, from: string, dir: string, covered: Covered): void {
  const name = NAME.exec(wanted)?.[0];
  const folder = name === undefined ? undefined : packageFolder(name, from, dir);
  if (name === undefined || folder === undefined || covered.packages.has(folder)) return;
  const before = covered.files.size;
  coverFolder(folder, covered);
  const about = aboutOf(covered.files.get(join(folder, "package.json")));
  covered.packages.set(folder, { name, version: about.version, files: covered.files.size - before });
  for (const one of about.dependencies) packageFiles(one, folder, dir, covered);
}

function packageFolder(name: string, from: string, dir: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) {
      const real = realpathSync(found);
      return isBelow(real, dir) ? real : undefined;
    }
    if (!isBelow(folder, dir)) return undefined;
  }
}

/** Links are left out, and so are not loaded. */
function coverFolder(folder: string, covered: Covered): void {
  for (const one of readdirSync(folder, { withFileTypes: true })) {
    if (covered.isTooMuch) return;
    const path = join(folder, one.name);
    if (one.isDirectory() && one.name !== "node_modules") coverFolder(path, covered);
    else if (one.isFile() && LOADABLE.test(one.name) && !covered.files.has(path)) take(path, covered);
  }
}

function aboutOf(bytes: Buffer | undefined): { readonly version: string; readonly dependencies: readonly string[] } {
  let about: unknown;
  try {
    about = JSON.parse(String(bytes));
  } catch {
    // Node will say what is wrong with it.
  }
  if (!isMapping(about)) return { version: "", dependencies: [] };
  const named = (field: unknown): readonly string[] => (isMapping(field) ? Object.keys(field) : []);
  return {
    version: String(about.version ?? ""),
    dependencies: [about.dependencies, about.optionalDependencies, about.peerDependencies].flatMap(named),
  };
}
