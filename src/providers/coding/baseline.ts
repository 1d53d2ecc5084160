// The folder as the first attempt of a visit found it, kept in the run's folder until the step has its answer: a resume,
// a gate's pause and a failed attempt do not take away what the agent changed before. With the answer it is put aside: only
// a resume that finds the answer nowhere on record takes it up again.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { constants, gunzip, gzip } from "node:zlib";
import type { Caller } from "../../steps/caller.ts";
import { type FolderSnapshot, snapshot } from "./changes.ts";

interface Kept {
  readonly folder: string;
  readonly isComplete: boolean;
  readonly files: readonly (readonly [string, { readonly stamp: string; readonly text?: string }])[];
}

export class Baseline {
  readonly #file: string;
  /** Where it is put with the answer. */
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
