// A run's big values: one file each in `blobs/`, named by its hash, written whole before the row that speaks of it. A journal
// may have been edited: a name is a hash and no path, and what is read is a file that fits it.
import { constants } from "node:buffer";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { guarded } from "../files/guarded.ts";
import { makeFolder, writePrivate } from "../private-files.ts";
import { withRegularFile } from "../regular-file.ts";
import { contentHash } from "../rows/columns.ts";
import { StoreError } from "../store-error.ts";

const NAME = /^sha256:([0-9a-f]{64})$/;
/** The longest text there can be, if each of its characters takes three bytes. */
const LARGEST = 3 * constants.MAX_STRING_LENGTH;
const CHUNK = 1024 * 1024;
/** What no file of Segno's is: a link, a folder, a pipe or a device, or one that is too large. */
const NOT_OURS: ReadonlySet<unknown> = new Set(["ELOOP", "EISDIR", "ENOTREG", "EFBIG"]);

export class Blobs {
  readonly #folder: string;

  constructor(runFolder: string) {
    this.#folder = join(runFolder, "blobs");
  }

  keep(text: string, flush: boolean): string {
    const hash = contentHash(text);
    const path = join(this.#folder, hash);
    guarded("keeping a big value", path, () => {
      if (existsSync(path)) return;
      makeFolder(this.#folder);
      writePrivate(path, text, flush);
    });
    return `sha256:${hash}`;
  }

  /** Removes all that no row speaks of any more. */
  removeBut(names: ReadonlySet<string>): void {
    guarded("removing big values of a run", this.#folder, () => {
      for (const hash of existsSync(this.#folder) ? readdirSync(this.#folder) : [])
        if (!names.has(`sha256:${hash}`)) rmSync(join(this.#folder, hash), { force: true });
    });
  }

  fetch(name: string): string {
    const hash = NAME.exec(name)?.[1];
    if (hash === undefined) throw edited(name, this.#folder);
    const path = join(this.#folder, hash);
    const text = guarded("reading a big value of a run", path, () => {
      try {
        return withRegularFile(path, { noLink: true, largest: LARGEST }, (file, size) =>
          hashOf(file, size) === hash ? readFileSync(file, "utf8") : undefined,
        );
      } catch (problem) {
        if (NOT_OURS.has((problem as NodeJS.ErrnoException).code)) return undefined;
        throw problem;
      }
    });
    if (text === undefined) throw damaged(path);
    return text;
  }
}

/** Read piece by piece: a file that is not what its name says is never in memory as a whole. */
function hashOf(file: number, size: number): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(1, size)));
  for (let at = 0; at < size; ) {
    const read = readSync(file, chunk, 0, chunk.length, at);
    if (read === 0) break;
    hash.update(chunk.subarray(0, read));
    at += read;
  }
  return hash.digest("hex");
}

const damaged = (path: string): StoreError =>
  new StoreError(
    "corrupt",
    `${path} is damaged: it is not what the run wrote. A resume that is forced runs its steps again.`,
    path,
  );

const edited = (name: string, folder: string): StoreError =>
  new StoreError(
    "corrupt",
    `The journal names a big value ${JSON.stringify(name.slice(0, 100))}, which is none that Segno wrote to ${folder}: the journal was damaged or edited.`,
    folder,
  );
