// The files of a project that trust covers: its plugins, and what they take in, by path or from the project's packages.
// Nothing else is loaded (gate/), so what is not seen here is refused there, and never executed unseen.
import { realpathSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readRegularFile } from "../regular-file.ts";
import { isBelow } from "../roots.ts";
import { type CoveredPackage, packageFiles } from "./covered-packages.ts";

/** Anything quoted that could be the path of a module: one too many is read and hashed, and no harm is done. */
const PATH = /["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;
/** `from "x"`, `import "x"`, `import("x")`, `require("x")`. */
const TAKEN_IN = /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?["'`]([^"'`\n]+)["'`]/g;
/** Data beside a plugin may change while it runs, so JSON counts only where it is taken in as a module. */
const CODE = /\.[cm]?js$/;

export interface Covered {
  /** By their real paths, as they were read: these very bytes are hashed, and executed. */
  readonly files: Map<string, Buffer>;
  readonly packages: Map<string, CoveredPackage>;
  /** Of all of them, in bytes. */
  size: number;
  /** Its plugins take in more than every command could read. */
  isTooMuch: boolean;
}

/** What is more than this should be bundled into the plugin. */
export const MOST_FILES = 5000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads a file, to be hashed; nothing when it would be too much. */
export function take(file: string, covered: Covered): Buffer | undefined {
  covered.size += statSync(file).size;
  covered.isTooMuch ||= covered.size > MOST_BYTES || covered.files.size >= MOST_FILES;
  if (covered.isTooMuch) return undefined;
  const bytes = readRegularFile(file);
  covered.files.set(file, bytes);
  return bytes;
}

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
