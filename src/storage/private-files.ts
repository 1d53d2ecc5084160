// Files and folders that only their user can read: 0600 and 0700, whatever the umask says.
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { system } from "../steps/process/here.ts";
import { StoreError } from "./store-error.ts";

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Also the folders above that are missing; one that exists keeps its mode. `recursive: true` never ends where a folder takes no other: below /proc. */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path && !existsSync(above)) makeFolder(above);
  try {
    mkdirSync(path, PRIVATE_FOLDER);
  } catch (error) {
    // Another process may have been quicker.
    if (isFolder(path)) return;
    throw error;
  }
  chmodSync(path, PRIVATE_FOLDER);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Makes an empty file unless it is there: SQLite gives its side files the mode of the database. */
export function touchPrivate(path: string): void {
  try {
    // No link is followed: not even one to a file that is not there.
    closeSync(openSync(path, "wx", PRIVATE_FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Refuses a file that is also another one: a link, or a file with a second name. A home may have come with a copied folder,
 * and what is written in it would be written over the other file.
 */
export function requireOwnFile(path: string, stats = lstatSync(path, { throwIfNoEntry: false })): void {
  // What is wrong with a folder in its place is said by whoever opens it.
  if (!stats || stats.isDirectory() || (stats.isFile() && stats.nlink <= 1)) return;
  const what = stats.isSymbolicLink()
    ? "it is a link"
    : stats.isFile()
      ? "it has a second name (a hard link)"
      : "it is no file";
  throw new StoreError(
    "io",
    `${path} is not opened, since ${what}: what Segno writes there would be written into that other file. Put a copy in its place, or keep runs in another place.`,
    path,
  );
}

/** Opens a file to read it and to add to it, and makes it when it is not there. */
export function openOwnFile(path: string): number {
  const file = openSync(path, O_APPEND | O_RDWR | O_CREAT | (O_NOFOLLOW ?? 0), PRIVATE_FILE);
  try {
    requireOwnFile(path, fstatSync(file));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants as typeof constants & { readonly O_NOFOLLOW?: number };

/** Windows cannot, and needs not: there a new name is written with its file. */
export function syncFolder(path: string, { syncsFolders } = system): void {
  if (!syncsFolders) return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Gives the number of bytes. */
export function writeWhole(file: number, text: string): number {
  const length = Buffer.byteLength(text);
  let done = writeSync(file, text);
  if (done === length) return length;
  // A disk that fills up takes a part.
  const bytes = Buffer.from(text);
  while (done < length) done += writeSync(file, bytes, done);
  return length;
}

/** Writes a file so that it is there whole or not at all. `flush` also holds that against a power cut. */
export function writePrivate(path: string, text: string, flush: boolean): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = openSync(draft, "wx", PRIVATE_FILE);
    try {
      writeWhole(file, text);
      if (flush) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  if (flush) syncFolder(dirname(path));
}
