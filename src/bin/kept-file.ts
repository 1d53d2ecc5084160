// One piece of compiled code in a file: bound to the text that it was compiled from, with a checksum that is verified
// before V8 sees it (V8 verifies none, and ends the process on what it cannot understand).
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { isPrivate } from "./cache-folder.ts";

const MARK = "SEGNO-2";
/** After the mark: how often it was written. After that: the sums of the text and of the code. */
const TIMES_AT = 7;
const HEAD_BYTES = 16;
const SUFFIX = ".code";
const OLD_MS = 30 * 24 * 3600 * 1000;
/** One who uses most commands has some hundred of an install; the rest is of builds and versions that are gone. */
const MOST = 600;

/** Loaded when it is needed, which it is not for `--version`. */
const crc32 = (bytes: Buffer): number => process.getBuiltinModule("node:zlib").crc32(bytes);

/** A script's text, as what is kept of it is bound to it: made once for each start. */
export interface KeptText {
  readonly bytes: Buffer;
  readonly sum: number;
}

export const textOf = (bytes: Buffer): KeptText => ({ bytes, sum: crc32(bytes) });

/**
 * Its name says for which text at which place, which use of it, which Node, which processor and which flags it is. The
 * place is compiled in: stacks would name the other of two installs.
 */
export function keptName(script: string, use: string, { bytes, sum }: KeptText): string {
  const { node, v8 } = process.versions;
  const hex = (checksum: number): string => checksum.toString(16).padStart(8, "0");
  const content = `${hex(crc32(Buffer.from(`${script}\0${use}`)))}-${hex(sum)}-${bytes.length}`;
  return `${basename(script, ".js")}-${content}-${node}-${v8}-${process.arch}${flags()}${SUFFIX}`;
}

/** V8 refuses what other flags have compiled; with one name, two callers would take turns in overwriting each other's. */
function flags(): string {
  const hasNone = process.execArgv.length === 0 && !process.env.NODE_OPTIONS;
  return hasNone ? "" : `-${process.getBuiltinModule("node:v8").cachedDataVersionTag()}`;
}

export interface KeptCode {
  readonly code: Buffer;
  /** By how many starts of the program it was written. */
  readonly times: number;
}

/** The code, or nothing when it is not there, not ours, not whole, or of another text. */
export function readKept(file: string, text: KeptText): KeptCode | undefined {
  try {
    const bytes = readOurs(file);
    if (bytes === undefined || bytes.length <= HEAD_BYTES) return undefined;
    const kept = { code: bytes.subarray(HEAD_BYTES), times: bytes.readUInt8(TIMES_AT) };
    return bytes.compare(headOf(text, kept), 0, HEAD_BYTES, 0, HEAD_BYTES) === 0 ? kept : undefined;
  } catch {
    return undefined;
  }
}

function headOf(text: KeptText, { code, times }: KeptCode): Buffer {
  const head = Buffer.alloc(HEAD_BYTES, MARK, "latin1");
  head.writeUInt8(times, TIMES_AT);
  head.writeUInt32LE(text.sum, 8);
  head.writeUInt32LE(crc32(code), 12);
  return head;
}

function readOurs(file: string): Buffer | undefined {
  // Windows has no O_NOFOLLOW.
  if (!lstatSync(file).isFile()) return undefined;
  const opened = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const found = fstatSync(opened);
    return found.isFile() && isPrivate(found) ? readFileSync(opened) : undefined;
  } finally {
    closeSync(opened);
  }
}

/** All of it or nothing, also when the power is cut; then old code is removed. */
export function writeKept(file: string, text: KeptText, kept: KeptCode): void {
  const fresh = `${file}.${process.pid}`;
  const opened = openSync(fresh, "wx", 0o600);
  try {
    try {
      const bytes = Buffer.concat([headOf(text, kept), kept.code]);
      for (let from = 0; from < bytes.length; ) from += writeSync(opened, bytes, from);
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Removes what has not been written for long, and the oldest of what is too many. */
export function sweepKept(folder: string, now: number): void {
  const found = readdirSync(folder)
    .filter((name) => name.includes(SUFFIX))
    .flatMap((name) => {
      const path = join(folder, name);
      const there = statSync(path, { throwIfNoEntry: false });
      return there ? { path, written: there.mtimeMs } : [];
    })
    .sort((one, other) => other.written - one.written);
  for (const [place, { path, written }] of found.entries())
    if (place >= MOST || now - written > OLD_MS) rmSync(path, { force: true });
}
