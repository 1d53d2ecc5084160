// What the digest of a project is made of: files as they were read, up to what every command can read.
import { statSync } from "node:fs";
import { readRegularFile } from "../access/regular-file.ts";

export interface CoveredPackage {
  readonly name: string;
  readonly version: string;
  readonly files: number;
}

export interface Covered {
  /** By their real paths, as they were read: these very bytes are hashed, and executed. */
  readonly files: Map<string, Buffer>;
  readonly packages: Map<string, CoveredPackage>;
  /** Of all of them, in bytes. */
  size: number;
  /** Its plugins take in more than every command could read. */
  isTooMuch: boolean;
}

/** What is more than this should be bundled into the plugin. */
export const MOST_FILES = 5000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads a file, to be hashed; nothing when it would be too much. */
export function take(file: string, covered: Covered): Buffer | undefined {
  covered.size += statSync(file).size;
  covered.isTooMuch ||= covered.size > MOST_BYTES || covered.files.size >= MOST_FILES;
  if (covered.isTooMuch) return undefined;
  const bytes = readRegularFile(file);
  covered.files.set(file, bytes);
  return bytes;
}
