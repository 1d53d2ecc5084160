// The file through which a script raises: made empty before it starts, read once after it has ended, removed on every
// path. Scripts do odd things to it (a directory, a link, a pipe, gigabytes), so nothing here trusts what it finds.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { openForReading } from "./open-file.ts";
import { makePrivateFolder, removePrivateFolder } from "./private-folder.ts";

const LARGEST = 1024 * 1024;

export type ErrorFileContent = { readonly text: string } | { readonly unreadable: string };

/** The error files of this process share one private folder, which exists only while a script runs. */
interface Folder {
  readonly path: string;
  inUse: number;
}

let shared: Folder | undefined;
let serial = 0;

export interface ErrorFile {
  readonly path: string;
  read(): ErrorFileContent;
  remove(): void;
}

export function makeErrorFile(): ErrorFile {
  const { path, folder } = makeFile();
  return {
    path,
    read: () => readErrorFile(path),
    remove: () => {
      removeWhateverIsThere(path);
      leave(folder);
    },
  };
}

function makeFile(): { path: string; folder: Folder } {
  const folder = enter();
  const path = join(folder.path, `error-${++serial}.json`);
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
    return { path, folder };
  } catch (error) {
    leave(folder);
    // A cleaner of temporary files may take the folder from under a script that runs for days.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || folder.inUse === 0) throw error;
    shared = undefined;
    return makeFile();
  }
}

function enter(): Folder {
  shared ??= { path: makePrivateFolder(), inUse: 0 };
  shared.inUse++;
  return shared;
}

function leave(folder: Folder): void {
  if (--folder.inUse > 0) return;
  if (shared === folder) shared = undefined;
  // With whatever a background child wrote into it late.
  removePrivateFolder(folder.path);
}

function removeWhateverIsThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // What cannot be removed now goes with the folder, or stays: a script's own doing must not fail its step.
    }
  }
}

/** Missing and empty mean that nothing was raised; every other failure to read is said, never swallowed. */
function readErrorFile(path: string): ErrorFileContent {
  if (isAsMade(path)) return { text: "" };
  let file: number;
  try {
    // A link may lead anywhere and a named pipe would block for ever: neither is followed nor waited for.
    file = openForReading(path, { noLink: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return { text: "" };
    return { unreadable: code === "ELOOP" ? "it is a symbolic link" : `it cannot be opened (${code})` };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { unreadable: stat.isDirectory() ? "it is a directory" : "it is not a plain file" };
    if (stat.size === 0) return { text: "" };
    const bytes = readAtMost(file, LARGEST + 1);
    if (bytes.length > LARGEST) return { unreadable: "it is larger than 1 MiB" };
    // `>` of Windows PowerShell writes UTF-16, and says so in its first two bytes.
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
    return { text: new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { unreadable: "it is not UTF-8" };
    return { unreadable: `it cannot be read (${(error as NodeJS.ErrnoException).code})` };
  } finally {
    closeSync(file);
  }
}

/** Nearly always it is: one look is cheaper than opening it. */
function isAsMade(path: string): boolean {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size === 0;
  } catch {
    return false;
  }
}

function readAtMost(file: number, limit: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.min(limit, Math.max(fstatSync(file).size, 1) + 1));
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, null);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}
