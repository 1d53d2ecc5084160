// Reads a file that a user or a journal named: never a pipe that blocks, a device without end, or more than a limit.
import { closeSync, fstatSync, readFileSync } from "node:fs";
import { openForReading } from "../steps/process/platform.ts";

/** Far above any workflow, prompt or scenario. */
const LARGEST = 64 * 1024 * 1024;

interface RegularFileOptions {
  readonly noLink?: boolean;
  /** Bytes. */
  readonly largest?: number;
}

/** Throws like `readFileSync`, and with the code `ENOTREG` for what is no regular file, `EFBIG` for what is too large, `ELOOP` for a link where none may be. */
export const readRegularFile = (path: string, options: RegularFileOptions = {}): Buffer =>
  withRegularFile(path, options, (file) => readFileSync(file));

/** The same for an open file and its size. */
export function withRegularFile<Value>(
  path: string,
  { noLink = false, largest = LARGEST }: RegularFileOptions,
  use: (file: number, size: number) => Value,
): Value {
  const file = openForReading(path, { noLink });
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw problem("EISDIR", `${path} is a folder`);
    if (!stats.isFile()) throw problem("ENOTREG", `${path} is a pipe, a device or a socket, not a file`);
    if (stats.size > largest) throw problem("EFBIG", `${path} has ${Math.ceil(stats.size / 1024 / 1024)} MiB`);
    return use(file, stats.size);
  } finally {
    closeSync(file);
  }
}

const problem = (code: string, message: string): NodeJS.ErrnoException => Object.assign(new Error(message), { code });
