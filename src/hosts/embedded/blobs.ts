// A run's big values: one file each in `blobs/`, named by its hash, written whole before the row that speaks of it.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { guarded } from "../files/guarded.ts";
import { makeFolder, writePrivate } from "../files/private-files.ts";
import { contentHash } from "../rows/content-hash.ts";
import { StoreError } from "../store-error.ts";

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
    const hash = name.slice("sha256:".length);
    const path = join(this.#folder, hash);
    const text = guarded("reading a big value of a run", path, () => readFileSync(path, "utf8"));
    if (contentHash(text) === hash) return text;
    throw new StoreError(
      "corrupt",
      `${path} is damaged: it is not what the run wrote. A resume that is forced runs its steps again.`,
      path,
    );
  }
}
