// The files that one action depends on, each read once: what is driven is what was checked, whatever is written meanwhile.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readRegularFile } from "../../storage/regular-file.ts";

/** SHA-256 by absolute path; null: the file was not there. */
export type FileDigests = Readonly<Record<string, string | null>>;

/** The code of the error for a file that is not as another process has checked it. */
export const CHANGED = "ECHANGED";
const CHANGED_SINCE = "it has changed since it was checked. Ask again: the file is then checked as it is now";

export class Snapshot {
  /** What reading gave the first time: the bytes, or why there are none. */
  readonly #files = new Map<string, Buffer | NodeJS.ErrnoException>();
  readonly #existing = new Map<string, boolean>();

  /** `checked`: the files that another process has checked, and hands on. Reading one that is not the same any more fails. */
  constructor(private readonly checked: FileDigests = {}) {}

  /** Throws as `readRegularFile` does. */
  read(path: string): Buffer {
    const found = this.#files.get(path) ?? this.#take(path);
    this.#files.set(path, found);
    if (found instanceof Error) throw found;
    return found;
  }

  exists(path: string): boolean {
    const found = this.#files.get(path);
    if (found) return !isAbsence(found);
    const exists = this.#existing.get(path) ?? existsSync(path);
    this.#existing.set(path, exists);
    return exists;
  }

  /** Of the files that were read so far. */
  get digests(): FileDigests {
    return Object.fromEntries(
      [...this.#files].flatMap(([path, found]) => {
        const digest = digestOf(found);
        return digest === undefined ? [] : [[path, digest]];
      }),
    );
  }

  #take(path: string): Buffer | NodeJS.ErrnoException {
    const found = takeFile(path);
    const checked = this.checked[path];
    if (checked === undefined || checked === digestOf(found)) return found;
    return Object.assign(new Error(CHANGED_SINCE), { code: CHANGED });
  }
}

function takeFile(path: string): Buffer | NodeJS.ErrnoException {
  try {
    return readRegularFile(path);
  } catch (problem) {
    if (problem instanceof Error) return problem;
    throw problem;
  }
}

const isAbsence = (found: Buffer | NodeJS.ErrnoException): boolean =>
  found instanceof Error && (found.code === "ENOENT" || found.code === "ENOTDIR");

function digestOf(found: Buffer | NodeJS.ErrnoException): string | null | undefined {
  if (found instanceof Error) return isAbsence(found) ? null : undefined;
  return createHash("sha256").update(found).digest("hex");
}
