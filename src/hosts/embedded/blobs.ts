// A run's big values: one file each in `blobs/`, named by its hash, written whole before the row that speaks of it.
import { existsSync, readFileSync } from "node:fs";
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
