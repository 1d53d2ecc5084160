// The import graph of src/, read from the files themselves.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  /** `import("…")`: loaded when it is needed. */
  readonly lazy: boolean;
}

const SOURCE = resolve("src");
const TEST = /\.test\.tsx?$/;

export function sourceFiles(folder = SOURCE): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    const file = relative(SOURCE, path);
    return /\.tsx?$/.test(file) && !file.endsWith(".d.ts") && !TEST.test(file) ? [file] : [];
  });
}

// A clause never holds a quote, so the match cannot run on into the next statement.
const STATEMENT =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?([^"'`;]*?)\s*from\s*"(\.[^"]+)"|import\(\s*"(\.[^"]+)"\s*\)/g;

export function importsOf(file: string): Import[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  const found: Import[] = [];
  for (const [, , typeWord, clause = "", path, dynamic] of text.matchAll(STATEMENT)) {
    const target = relative(SOURCE, resolve(SOURCE, dirname(file), path ?? dynamic ?? ""));
    const names = /^\{([^}]*)\}$/.exec(clause.trim())?.[1];
    const onlyTypes = names?.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type ")) ?? false;
    found.push({ from: file, to: target, typeOnly: typeWord !== undefined || onlyTypes, lazy: dynamic !== undefined });
  }
  return found;
}

/** The room of a file: its folder below src/, `hosts` and `providers` included as one each. */
export const roomOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] ?? file) : file);
