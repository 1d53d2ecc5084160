// The files of a project that a plugin takes in: trust covers them too. Packages are not covered; their versions are the
// business of whoever installs them.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isBelow } from "../roots.ts";

/** `from "./x.mjs"`, `import "./x.mjs"`, `import("./x.mjs")`, `require("./x.cjs")`. */
const LOCAL = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** Adds a module and what it takes in by a relative path, over any number of files. */
export function withImports(file: string, dir: string, texts: Map<string, string>): void {
  if (texts.has(file) || !isBelow(file, dir) || !isFile(file)) return;
  const text = readFileSync(file, "utf8");
  texts.set(file, text);
  for (const [, name = ""] of text.matchAll(LOCAL)) {
    const path = resolve(dirname(file), name);
    for (const candidate of [path, `${path}.js`, `${path}.cjs`, `${path}.json`, `${path}/index.js`])
      if (isFile(candidate)) withImports(candidate, dir, texts);
  }
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
