// The plugins that a project names: where each is, and why one of them cannot be loaded at all.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isMapping, unlessItThrows } from "../../base/errors/mapping.ts";
import { pathPattern } from "../../base/errors/path-pattern.ts";
import { parseJson } from "../../base/json/bounded.ts";
import type { Finding, Location } from "../../language/loaded.ts";
import { isCodeFile } from "../own-steps/definition.ts";
import { isBelow, readRegularFile } from "../session/path-inside.ts";

export interface NamedPlugin {
  /** As it is written. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  readonly place: Location;
}

/** Workflow files of a project that are code: those that exist of what its `workflows` names. */
export function codeWorkflows(
  patterns: readonly string[],
  dir: string,
  at: (index: number) => Location,
): NamedPlugin[] {
  const named = (file: string, index: number): NamedPlugin => ({ name: relative(dir, file), file, place: at(index) });
  return patterns.flatMap((pattern, index) => {
    if (!/\.m?[jt]s$/.test(pattern)) return [];
    const file = resolve(dir, pattern);
    if (!pattern.includes("*")) return existsSync(file) && isCodeFile(file) ? [named(file, index)] : [];
    const fits = pathPattern(pattern.replace(/^\.\//, ""));
    const files = [...codeBelow(dir)].filter((one) => fits(relative(dir, one).split(sep).join("/")));
    return files.map((one) => named(one, index));
  });
}

function* codeBelow(folder: string): Iterable<string> {
  for (const one of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, one.name);
    if (one.isDirectory() && one.name !== "node_modules" && !one.name.startsWith(".")) yield* codeBelow(path);
    else if (one.isFile() && isCodeFile(one.name)) yield path;
  }
}

export const namedPlugins = (names: readonly string[], dir: string, at: (index: number) => Location): NamedPlugin[] =>
  names.map((name, index) => ({ name, file: resolve(dir, name), place: at(index) }));

/** Adds them, and what they take in, to what trust covers; gives what is wrong with them. */
export function coverPlugins(plugins: readonly NamedPlugin[], dir: string, covered: Covered): readonly Finding[] {
  return plugins.flatMap((plugin) => {
    const problem = misplaced(plugin, dir) ?? unreadable(plugin, dir, covered);
    if (!problem) return [];
    return [{ ...problem, severity: "error" as const, location: plugin.place, suggestions: [] }];
  });
}

type Problem = Pick<Finding, "rule" | "message">;

function misplaced({ name, file }: NamedPlugin, dir: string): Problem | undefined {
  if (!existsSync(file))
    return { rule: "missing-file", message: `There is no file \`${name}\`. Paths are relative to this file.` };
  if (!statSync(file).isFile())
    return {
      rule: "unreadable-file",
      message: `The plugin \`${name}\` is no file but a folder, a pipe or a device, and code is loaded from files only.`,
    };
  if (!isBelow(file, dir))
    return {
      rule: "unreadable-file",
      message: `The plugin \`${name}\` is not below this file's folder, and only code from there is loaded. Move it there.`,
    };
  return undefined;
}

function unreadable({ name, file }: NamedPlugin, dir: string, covered: Covered): Problem | undefined {
  try {
    cover(file, dir, covered);
    return undefined;
  } catch (problem) {
    const why = (problem as Error).message;
    return { rule: "unreadable-file", message: `What the plugin \`${name}\` takes in cannot be read: ${why}.` };
  }
}

// The files of a project that trust covers: its plugins, and what they take in, by path or from the project's packages.
// Nothing else is loaded (gate/), so what is not seen here is refused there, and never executed unseen.

/** Anything quoted that could be the path of a module: one too many is read and hashed, and no harm is done. */
const PATH = /["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;
/** `from "x"`, `import "x"`, `import("x")`, `require("x")`. */
const TAKEN_IN = /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?["'`]([^"'`\n]+)["'`]/g;
/** Data beside a plugin may change while it runs, so JSON counts only where it is taken in as a module. */
const CODE = /\.([cm]?js|m?ts)$/;

function cover(module: string, dir: string, covered: Covered): void {
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

const addressed = (name: string, from: string): string | undefined =>
  unlessItThrows(() => fileURLToPath(new URL(name, pathToFileURL(from))), undefined);

function realFile(path: string): string | undefined {
  try {
    const file = realpathSync(path);
    return statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

// Packages that a plugin takes in: each is covered whole, with the packages that it depends on, because which of its files
// it loads is decided only while it runs.

const LOADABLE = /\.([cm]?js|json|node)$/;
const NAME = /^(?:@[\w.-]+\/)?[\w.-]+/;

/** Adds the package that `wanted` is of, as it is found from a folder upwards, but not above the project. */
function packageFiles(wanted: string, from: string, dir: string, covered: Covered): void {
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
    about = parseJson(String(bytes));
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

// What the digest of a project is made of: files as they were read, up to what every command can read.

export interface CoveredPackage {
  readonly name: string;
  readonly version: string;
  readonly files: number;
}

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
function take(file: string, covered: Covered): Buffer | undefined {
  covered.size += statSync(file).size;
  covered.isTooMuch ||= covered.size > MOST_BYTES || covered.files.size >= MOST_FILES;
  if (covered.isTooMuch) return undefined;
  const bytes = readRegularFile(file);
  covered.files.set(file, bytes);
  return bytes;
}
