// The import graph of src/, read from the files themselves.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  /** True of `import("…")`, which loads the file when it is needed. */
  readonly lazy: boolean;
}

const SOURCE = resolve("src");

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [relative(SOURCE, path)];
  });

/** Features and front ends keep their tests, and what those share, in a folder of this name. */
const TESTS = /\.test\.tsx?$|^\w+\/[\w-]+\/test\//;

/** The files of code below src/, without tests and without declarations. */
export const sourceFiles = (): string[] =>
  filesBelow(SOURCE).filter((file) => /\.tsx?$/.test(file) && !TESTS.test(file) && !file.endsWith(".d.ts"));

export const styleSheets = (): string[] => filesBelow(SOURCE).filter((file) => file.endsWith(".css"));

export const textOf = (file: string): string => readFileSync(join(SOURCE, file), "utf8");

// A clause never holds a quote, so the match cannot run on into the next statement.
const STATEMENT =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?([^"'`;]*?)\s*from\s*"(\.[^"]+)"|import\(\s*"(\.[^"]+)"\s*\)|(?:^|\n)\s*@?import\s+"(\.[^"]+)"/g;

export function importsOf(file: string): Import[] {
  const found: Import[] = [];
  for (const [, , typeWord, clause = "", path, dynamic, whole] of textOf(file).matchAll(STATEMENT)) {
    const target = relative(SOURCE, resolve(SOURCE, dirname(file), path ?? dynamic ?? whole ?? ""));
    const names = /^\{([^}]*)\}$/.exec(clause.trim())?.[1];
    const onlyTypes = names?.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type ")) ?? false;
    found.push({ from: file, to: target, typeOnly: typeWord !== undefined || onlyTypes, lazy: dynamic !== undefined });
  }
  return found;
}
