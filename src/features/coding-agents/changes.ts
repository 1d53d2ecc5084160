// What an agent changed in its folder since the first attempt of the visit: which files, and how many lines came and went.
// It is looked at without git: a repository's own settings could run anything.
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, readlink, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { constants, gunzip, gzip } from "node:zlib";
import type { AgentChanges, AgentFileChange } from "../../base/errors/index.ts";
import type { Caller } from "../../steps/caller.ts";

/** A file as it was. The text is kept only of what may be counted. */
interface Seen {
  readonly stamp: string;
  readonly text?: string;
  readonly digest?: string;
}

export interface FolderChanges extends Omit<AgentChanges, "files"> {
  readonly files: readonly AgentFileChange[];
}

interface FolderSnapshot {
  readonly files: ReadonlyMap<string, Seen>;
  readonly isComplete: boolean;
}

const MOST_FILES = 20_000;
const LARGEST_TEXT = 256 * 1024;
const MOST_TEXT = 48 * 1024 * 1024;
/** What tools keep for themselves is not an agent's work. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules", ".segno"]);

/** `leftOut` are folders by their real paths: what Segno itself writes while an agent works is not the agent's work. */
export async function snapshot(folder: string, leftOut: readonly string[] = []): Promise<FolderSnapshot> {
  const files = new Map<string, Seen>();
  const isComplete = await walk(folder, leftOut, async (path) => {
    const known = await lstat(join(folder, path)).catch(() => undefined);
    if (!known) return true;
    files.set(path, { stamp: stampOf(known) });
    return files.size < MOST_FILES;
  });
  let room = MOST_TEXT;
  for (const [path, seen] of files) {
    const size = Number(seen.stamp.split(":", 1)[0]);
    if (size > LARGEST_TEXT || size > room) continue;
    room -= size;
    files.set(path, { ...seen, ...(await contentOf(join(folder, path))) });
  }
  return { files, isComplete };
}

export async function changesSince(
  before: FolderSnapshot,
  folder: string,
  leftOut: readonly string[] = [],
): Promise<FolderChanges> {
  const changed: AgentFileChange[] = [];
  const there = new Set<string>();
  const isComplete = await walk(folder, leftOut, async (path) => {
    const known = await lstat(join(folder, path)).catch(() => undefined);
    if (!known) return true;
    there.add(path);
    const earlier = before.files.get(path);
    if (!earlier) {
      if (before.isComplete) changed.push(await compared(path, "added", { stamp: "", text: "" }, folder, known.size));
    } else if (earlier.stamp !== stampOf(known)) {
      const change = await compared(path, "modified", earlier, folder, known.size);
      // Written again as it was.
      if (change.added !== 0 || change.removed !== 0) changed.push(change);
    }
    return there.size < MOST_FILES;
  });
  if (isComplete)
    for (const [path, { text }] of before.files)
      if (!there.has(path))
        changed.push({ path, change: "deleted", added: 0, removed: text === undefined ? null : linesOf(text).length });
  changed.sort((one, other) => (one.path < other.path ? -1 : 1));
  const sum = (side: "added" | "removed"): number => changed.reduce((total, file) => total + (file[side] ?? 0), 0);
  return {
    files: changed,
    added: sum("added"),
    removed: sum("removed"),
    ...(isComplete && before.isComplete ? {} : { incomplete: true as const }),
  };
}

async function compared(
  path: string,
  change: "added" | "modified",
  before: Seen,
  folder: string,
  size: number,
): Promise<AgentFileChange> {
  const now = size > LARGEST_TEXT ? {} : await contentOf(join(folder, path));
  if (before.digest !== undefined && before.digest === now.digest) return { path, change, added: 0, removed: 0 };
  if (before.text === undefined || now.text === undefined) return { path, change, added: null, removed: null };
  return { path, change, ...countLines(linesOf(before.text), linesOf(now.text)) };
}

/** Goes through the files and links below a folder until `each` says no; true when it has seen all. */
async function walk(
  folder: string,
  leftOut: readonly string[],
  each: (path: string) => Promise<boolean>,
): Promise<boolean> {
  const open = [""];
  const top = await realpath(folder).catch(() => folder);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (LEFT_OUT.has(entry.name) || leftOut.includes(join(top, path))) continue;
      if (entry.isDirectory()) open.push(path);
      else if ((entry.isFile() || entry.isSymbolicLink()) && !(await each(path))) return false;
    }
  }
  return true;
}

const stampOf = ({ size, mtimeMs, ctimeMs, ino }: Awaited<ReturnType<typeof lstat>>): string =>
  [size, mtimeMs, ctimeMs, ino].join(":");

async function contentOf(file: string): Promise<Pick<Seen, "text" | "digest">> {
  // A link is looked at, never through: it may lead anywhere.
  const bytes = await readlink(file).then(
    (target) => Buffer.from(target),
    () => readFile(file).catch(() => undefined),
  );
  if (!bytes) return {};
  const digest = createHash("sha1").update(bytes).digest("hex");
  return bytes.includes(0) ? { digest } : { digest, text: bytes.toString("utf8") };
}

const linesOf = (text: string): readonly string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

/** Beyond this many cells the middle is counted as replaced: an exact count would take too long. */
const MOST_CELLS = 4_000_000;

/** How many lines came and went between two texts: those that are not in their longest common run of lines. */
export function countLines(
  before: readonly string[],
  after: readonly string[],
): { readonly added: number; readonly removed: number } {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const kept = old.length * now.length > MOST_CELLS ? 0 : commonLines(old, now);
  return { added: now.length - kept, removed: old.length - kept };
}

function commonLines(one: readonly string[], other: readonly string[]): number {
  let row = new Uint32Array(other.length + 1);
  for (const line of one) {
    const next = new Uint32Array(other.length + 1);
    for (const [index, candidate] of other.entries())
      next[index + 1] = line === candidate ? row[index]! + 1 : Math.max(next[index]!, row[index + 1]!);
    row = next;
  }
  return row[other.length] ?? 0;
}

interface Kept {
  readonly folder: string;
  readonly isComplete: boolean;
  readonly files: readonly (readonly [string, { readonly stamp: string; readonly text?: string }])[];
}

export class Baseline {
  readonly #file: string;
  readonly #aside: string;
  readonly #isInterrupted: boolean;
  #found: Promise<FolderSnapshot> | undefined;

  constructor(
    { key, spillDir, session }: Pick<Caller, "key" | "spillDir" | "session">,
    private readonly folder: string,
    private readonly leftOut: readonly string[] = [],
  ) {
    const digest = createHash("sha256").update(key).digest("hex").slice(0, 24);
    const agents = join(dirname(spillDir), "agents");
    this.#file = join(agents, `before-${digest}.json.gz`);
    this.#aside = join(agents, `answered-${digest}.json.gz`);
    this.#isInterrupted = session?.interrupted === true;
  }

  /** As it was found, by this attempt or by an earlier one of its visit; kept from now on. */
  found(): Promise<FolderSnapshot> {
    this.#found ??= this.#kept().then((kept) => kept ?? snapshot(this.folder, this.leftOut));
    return this.#found.then(async (before) => {
      await this.#keep(before);
      return before;
    });
  }

  /** The step has its answer: the next visit begins with what is there. */
  async putAside(): Promise<void> {
    await rename(this.#file, this.#aside).catch(() => {});
  }

  async #kept(): Promise<FolderSnapshot | undefined> {
    const kept = (await this.#read(this.#file)) ?? (this.#isInterrupted ? await this.#read(this.#aside) : undefined);
    if (!this.#isInterrupted) await rm(this.#aside, { force: true });
    return kept;
  }

  async #read(file: string): Promise<FolderSnapshot | undefined> {
    try {
      const kept = JSON.parse((await promisify(gunzip)(await readFile(file))).toString("utf8")) as Kept;
      if (kept.folder !== this.folder) return undefined;
      return { files: new Map(kept.files), isComplete: kept.isComplete };
    } catch {
      // There is none, or it cannot be read: what is there now is what there is to compare with.
      return undefined;
    }
  }

  async #keep({ files, isComplete }: FolderSnapshot): Promise<void> {
    const kept: Kept = { folder: this.folder, isComplete, files: [...files] };
    const bytes = await promisify(gzip)(JSON.stringify(kept), { level: constants.Z_BEST_SPEED });
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    // Whole or not at all, also when the process is killed.
    await writeFile(`${this.#file}.new`, bytes, { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }
}
