// What a process writes: real pipes for it on Linux, and what is kept of it: the first 10 MiB in memory, and, when there is
// more, all of it in a file.
import { type ChildProcess, spawnSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Captured } from "../world.ts";
import { PLATFORM } from "./platform.ts";
import { systemProgram } from "./posix.ts";
import { makePrivateFolder, removePrivateFolder } from "./private-folder.ts";

/**
 * What Node calls a pipe is a socket on Linux, and a socket cannot be opened by name: `echo oops > /dev/stderr` and
 * `tee /dev/stderr` would fail in every script.
 */
export interface OutputPipes {
  /** For `stdio` of the process. */
  readonly stdio: readonly ["pipe", "pipe"] | readonly [number, number];
  /** Where to read; call once, when the process has been started. */
  readers(child: ChildProcess): readonly [OutputPipe, OutputPipe];
  /** When it could not be started. */
  discard(): void;
}

export interface OutputPipe {
  readonly reader: Readable;
  /** The reader's descriptor, by which the pipe is recognised in other processes. Absent for a pipe of Node's. */
  readonly file?: number;
}

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
/** Pipes that no process writes to, each kept alive by a reading descriptor; they have no name any more. */
const idle: number[] = [];
const MADE_AT_ONCE = 16;
const MAKE_PIPES = "mkfifo";
let canMake = PLATFORM === "linux";

export function outputPipes(): OutputPipes {
  const spare = next ?? openPair();
  next = undefined;
  if (!spare) return NODES_OWN;
  for (const { reader } of spare) reader.ref();
  return opened(spare);
}

/** For the next process, opened while this one runs and there is nothing else to do. */
let next: readonly [OpenPipe, OpenPipe] | undefined;

export function prepareNextPipes(): void {
  if (next || idle.length < 2) return;
  try {
    next = openPair();
  } catch {
    // Too many open files: the next process says so, if it still is so then. This one runs.
  }
}

function openPair(): readonly [OpenPipe, OpenPipe] | undefined {
  if (canMake && idle.length < 2) makePipes();
  if (idle.length < 2) return undefined;
  const stdout = openPipe();
  try {
    return [stdout, openPipe()];
  } catch (problem) {
    closeSync(stdout.writer);
    stdout.reader.destroy();
    throw problem;
  }
}

const NODES_OWN: OutputPipes = {
  stdio: ["pipe", "pipe"],
  readers: ({ stdout, stderr }) => [{ reader: stdout as Readable }, { reader: stderr as Readable }],
  discard: () => {},
};

interface OpenPipe extends Required<OutputPipe> {
  readonly writer: number;
  readonly reader: Socket;
}

function opened(pipes: readonly [OpenPipe, OpenPipe]): OutputPipes {
  // Ours must go once the process has its own, or the pipe would never end.
  const closeWriters = (): void => {
    for (const { writer } of pipes) closeSync(writer);
  };
  return {
    stdio: [pipes[0].writer, pipes[1].writer],
    readers: () => {
      closeWriters();
      return pipes;
    },
    discard: () => {
      closeWriters();
      for (const { reader } of pipes) reader.destroy();
    },
  };
}

/** Throws when there are too many open files; the pipe stays idle then. */
function openPipe(): OpenPipe {
  const idler = idle.at(-1) as number;
  // The writer comes first: a reader without one would see the end at once.
  const writer = openSync(`/proc/self/fd/${idler}`, O_WRONLY);
  let fd: number;
  try {
    fd = openSync(`/proc/self/fd/${idler}`, O_RDONLY | O_NONBLOCK);
  } catch (problem) {
    closeSync(writer);
    throw problem;
  }
  idle.pop();
  const reader = new Socket({ fd, readable: true, writable: false });
  // Until a process writes to it, it must not keep this one alive.
  reader.unref();
  reader.once("close", () => {
    // Read to its end: no process writes to it any more, and it can be used again.
    if (reader.readableEnded) idle.push(idler);
    else closeSync(idler);
  });
  return { writer, reader, file: fd };
}

/** Node cannot make a pipe by itself; one call of `mkfifo` makes enough for most runs. Their names are gone at once. */
function makePipes(): void {
  const folder = makePrivateFolder();
  const names = Array.from({ length: MADE_AT_ONCE }, (_, index) => join(folder, String(index)));
  try {
    spawnSync(systemProgram(MAKE_PIPES), ["-m", "600", ...names], { stdio: "ignore" });
    for (const name of names) idle.push(openSync(name, O_RDONLY | O_NONBLOCK));
  } catch (problem) {
    // With too many open files it may work the next time.
    canMake = /^E[MN]FILE$/.test(String((problem as NodeJS.ErrnoException).code));
  } finally {
    removePrivateFolder(folder);
  }
}

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
    // What stands there is never written into: it may be a link, or have another name.
    rmSync(path, { force: true });
    const file = openSync(path, "wx", 0o600);
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
