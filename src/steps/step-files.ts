// Files that a script step runs or names, and digests that tell whether they are still what they were. A digest is of the
// content; of a large file, of its size and time of change.
import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  type Dirent,
  existsSync,
  fstatSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { join, resolve, sep } from "node:path";
import { pathPattern } from "../base/errors/path-pattern.ts";
import { pathWithin } from "../base/errors/path-within.ts";
import { type FileDigest, isOfHash, PATTERN_MARK } from "../base/events/step-files.ts";
import { openForReading } from "./process/platform.ts";
import { BadValue } from "./step-type.ts";
import type { StepFiles } from "./world.ts";

/** Larger files are known by their size and time of change: a step must not wait for gigabytes to be read. */
const LARGE = 4 * 2 ** 20;
/** A file that was written just now may be written again within the same tick of the file system's clock. */
const TICK_NS = 100_000_000n;
const GONE = "gone";

export function stepFiles(): StepFiles {
  const digests = new Digests();
  return {
    named({ command, args, cwd }, { dir, rootDir }) {
      // A command without a slash is looked for on the PATH.
      const names = /[/\\]/.test(command) ? [command, ...args] : args;
      const paths = new Set(
        names.filter((name) => name !== "" && name.length < LONGEST).map((name) => resolve(cwd, name)),
      );
      const isBelow = (path: string): boolean => [dir, rootDir, cwd].some((folder) => pathWithin(folder, path));
      return [...paths].filter(isBelow).flatMap((path): readonly FileDigest[] => {
        const digest = digests.of(path);
        return digest === undefined ? [] : [{ path: shown(rootDir, path), digest }];
      });
    },
    matched: (patterns, { dir, rootDir }) =>
      patterns.map((pattern) => {
        const path = shown(rootDir, resolve(dir, pattern));
        return { path, digest: digests.ofPattern(path, rootDir) };
      }),
    changed(files, rootDir) {
      // A worker may not have the folder: what became of its files is not known there.
      if (files.length === 0 || !existsSync(rootDir)) return [];
      const now = (file: FileDigest): string =>
        isOfHash(file) ? digests.ofPattern(file.path, rootDir) : (digests.of(resolve(rootDir, file.path)) ?? GONE);
      return files.filter((file) => now(file) !== file.digest).map(({ path }) => path);
    },
  };
}

/** Longer texts are no names of files anywhere. */
const LONGEST = 4096;

/** Relative to the root workflow's folder, so that another machine finds it; as it is when it lies elsewhere. */
const shown = (rootDir: string, path: string): string => (pathWithin(rootDir, path) || path).split(sep).join("/");

interface Known {
  readonly stamp: string;
  readonly digest: string;
}

class Digests {
  readonly #known = new Map<string, Known>();

  of(path: string): string | undefined {
    try {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (!found?.isFile()) return undefined;
      if (found.size > LARGE) return `size:${found.size}:${found.mtimeNs}`;
      const stamp = stampOf(found);
      const known = this.#known.get(path);
      if (known?.stamp === stamp) return known.digest;
      const digest = contentDigest(path);
      const hasSettled = BigInt(Date.now()) * 1_000_000n - found.mtimeNs > TICK_NS;
      if (hasSettled) this.#known.set(path, { stamp, digest });
      return digest;
    } catch {
      return undefined;
    }
  }

  ofPattern(pattern: string, dir: string): string {
    const paths = filesMatching(pattern, dir);
    const hash = createHash("sha256");
    for (const path of paths) hash.update(`${path}\0${this.of(resolve(dir, path)) ?? GONE}\n`);
    return `${PATTERN_MARK}${paths.length}:${hash.digest("hex")}`;
  }
}

const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;

function contentDigest(path: string): string {
  // It may have become a pipe since it was looked at.
  const file = openForReading(path);
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is no regular file`);
    return `sha256:${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
  } finally {
    closeSync(file);
  }
}

/** More would make every visit of the step slow; so many are a mistake in the pattern. */
const MOST_FILES = 10_000;
const MOST_ENTRIES = 200_000;
/** Not meant by `**`: a pattern that wants them names them. */
const PASSED_OVER = ["node_modules", ".git"] as const;

function filesMatching(pattern: string, dir: string): readonly string[] {
  const parts = pattern.split("/");
  const plain = parts.findIndex((part) => /[*?]/.test(part));
  if (plain < 0) return isFile(resolve(dir, pattern)) ? [pattern] : [];
  const base = parts.slice(0, plain).join("/");
  const rest = parts.slice(plain);
  const fits = pathPattern(rest.join("/"));
  const deepest = rest.some((part) => part.includes("**")) ? Number.POSITIVE_INFINITY : rest.length;
  const passedOver = PASSED_OVER.filter((name) => !rest.includes(name));
  const found: string[] = [];
  let looked = 0;
  const walk = (way: string, depth: number): void => {
    for (const entry of entriesOf(join(resolve(dir, base), way))) {
      if (++looked > MOST_ENTRIES || found.length > MOST_FILES) throw tooMany(pattern);
      const path = way === "" ? entry.name : `${way}/${entry.name}`;
      if (entry.isDirectory()) {
        if (depth < deepest && !(passedOver as readonly string[]).includes(entry.name)) walk(path, depth + 1);
      } else if (fits(path) && isFile(join(resolve(dir, base), path)))
        found.push(base === "" ? path : `${base}/${path}`);
    }
  };
  walk("", 1);
  return found.sort();
}

/** Too many files are some: the step itself says that the pattern is a mistake. */
export function hasFileMatching(pattern: string, dir: string): boolean {
  try {
    return filesMatching(shown(dir, resolve(dir, pattern)), dir).length > 0;
  } catch (problem) {
    if (problem instanceof BadValue) return true;
    throw problem;
  }
}

const tooMany = (pattern: string): BadValue =>
  new BadValue(
    "files",
    pattern,
    `it matches more than ${MOST_FILES} files, or a folder with too many to look through; name fewer`,
  );

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
