// The files of a project that trust covers: its plugins, and what they take in, by path or from the project's packages.
// Nothing else is loaded (gate/), so what is not seen here is refused there, and never executed unseen.
import { realpathSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isBelow } from "../below.ts";
import { type Covered, take } from "./covered.ts";
import { packageFiles } from "./covered-packages.ts";

/** Anything quoted that could be the path of a module: one too many is read and hashed, and no harm is done. */
const PATH = /["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;
/** `from "x"`, `import "x"`, `import("x")`, `require("x")`. */
const TAKEN_IN = /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?["'`]([^"'`\n]+)["'`]/g;
/** Data beside a plugin may change while it runs, so JSON counts only where it is taken in as a module. */
const CODE = /\.[cm]?js$/;

/** Adds a module and what it takes in, over any number of files. */
export function cover(module: string, dir: string, covered: Covered): void {
  const file = realFile(module);
  if (file === undefined || covered.files.has(file) || !isBelow(file, dir)) return;
  const text = take(file, covered)?.toString("utf8") ?? "";
  for (const [, name = ""] of text.matchAll(PATH))
    for (const path of pathsOf(name, file)) if (CODE.test(path)) cover(path, dir, covered);
  for (const [, name = ""] of text.matchAll(TAKEN_IN))
    if (name.startsWith(".")) for (const path of pathsOf(name, file)) cover(path, dir, covered);
    else if (/^[\w@]/.test(name) && !isBuiltin(name) && !/^segno(\/|$)/.test(name))
      packageFiles(name, dirname(file), dir, covered);
}

/** As `import` reads a name, which is an address, and as `require` does, which tries endings. */
function pathsOf(name: string, from: string): readonly string[] {
  const path = resolve(dirname(from), name);
  const address = addressed(name, from);
  return [
    ...(address === undefined ? [] : [address]),
    ...["", ".js", ".cjs", ".json", "/index.js"].map((ending) => `${path}${ending}`),
  ];
}

function addressed(name: string, from: string): string | undefined {
  try {
    return fileURLToPath(new URL(name, pathToFileURL(from)));
  } catch {
    return undefined;
  }
}

function realFile(path: string): string | undefined {
  try {
    const file = realpathSync(path);
    return statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
