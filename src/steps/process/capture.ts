// Keeps what a process writes: the first 10 MiB in memory, and, when there is more, all of it in a file.
// A script that prints for ever costs disk, never the engine's memory.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Captured } from "../world.ts";

export const MOST_IN_MEMORY = 10 * 1024 * 1024;

const NOTHING = Buffer.alloc(0);

export class Capture {
  #kept: Buffer = NOTHING;
  #length = 0;
  #bytes = 0;
  #spill: { readonly path: string; readonly file: number } | undefined;
  #spillFailed = false;

  constructor(
    private readonly spillDir: string,
    private readonly spillName: () => string,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes > MOST_IN_MEMORY;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const room = MOST_IN_MEMORY - this.#length;
    if (this.#bytes > MOST_IN_MEMORY) this.#toFile(chunk);
    if (room > 0) this.#keep(chunk.length > room ? chunk.subarray(0, room) : chunk);
  }

  /** Closes the file and gives what was captured. */
  finish(): Captured {
    if (this.#spill) closeSync(this.#spill.file);
    const truncated = this.isFull;
    const end = truncated ? wholeCharacters(this.#kept, this.#length) : this.#length;
    const text = this.#kept.toString("utf8", 0, end);
    if (!truncated) return { text, bytes: this.#bytes, truncated };
    return { text, bytes: this.#bytes, truncated, ...(this.#spill ? { spill: this.#spill.path } : {}) };
  }

  #keep(chunk: Buffer): void {
    if (this.#length === 0) {
      this.#kept = chunk;
      this.#length = chunk.length;
      return;
    }
    // One growing buffer: a list of chunks would cost far more than its bytes when they come one by one.
    if (this.#length + chunk.length > this.#kept.length) {
      const size = Math.min(MOST_IN_MEMORY, Math.max(this.#kept.length * 2, this.#length + chunk.length));
      const grown = Buffer.allocUnsafe(size);
      this.#kept.copy(grown, 0, 0, this.#length);
      this.#kept = grown;
    }
    chunk.copy(this.#kept, this.#length);
    this.#length += chunk.length;
  }

  #toFile(chunk: Buffer): void {
    if (this.#spillFailed) return;
    try {
      this.#spill ??= this.#openSpill();
      writeWhole(this.#spill.file, chunk);
    } catch {
      // A full disk ends the spill, not the step: the first 10 MiB and the mark are still there.
      this.#spillFailed = true;
    }
  }

  #openSpill(): { path: string; file: number } {
    mkdirSync(this.spillDir, { recursive: true, mode: 0o700 });
    const path = join(this.spillDir, this.spillName());
    const file = openSync(path, "w", 0o600);
    writeWhole(file, this.#kept.subarray(0, this.#length));
    return { path, file };
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from);
}

/** Where the last whole UTF-8 character ends, so that a cut leaves no broken one behind. */
function wholeCharacters(bytes: Buffer, length: number): number {
  let start = length - 1;
  while (start > 0 && start > length - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  const lead = bytes[start] ?? 0;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + size > length ? start : length;
}
