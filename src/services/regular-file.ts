// Reads a file that somebody named: never a pipe that blocks, a device without end, or more than anybody could have meant.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Far above any workflow, prompt or scenario. */
const LARGEST = 64 * 1024 * 1024;

/** Throws like `readFileSync`, and with the code `ENOTREG` for what is no regular file, `EFBIG` for what is too large, `ELOOP` for a link where none may be. */
export function readRegularFile(path: string, { noLink = false } = {}): Buffer {
  // Without O_NONBLOCK the open itself would wait for whoever writes to a pipe.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (noLink ? constants.O_NOFOLLOW : 0));
  try {
    const { size, isFile, isDirectory } = kindOf(file);
    if (isDirectory) throw problem("EISDIR", `${path} is a folder`);
    if (!isFile) throw problem("ENOTREG", `${path} is a pipe, a device or a socket, not a file`);
    if (size > LARGEST) throw problem("EFBIG", `${path} has ${Math.ceil(size / 1024 / 1024)} MiB`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function kindOf(file: number) {
  const stats = fstatSync(file);
  return { size: stats.size, isFile: stats.isFile(), isDirectory: stats.isDirectory() };
}

const problem = (code: string, message: string): NodeJS.ErrnoException => Object.assign(new Error(message), { code });
