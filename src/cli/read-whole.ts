// All that comes from an open file until its end, as text. A stdin that whoever started the program made non-blocking has
// nothing yet at first (EAGAIN): then it is waited for.
import { readSync } from "node:fs";

const PART = 64 * 1024;
const WAIT_MS = 10;

export function readWhole(descriptor: number): string {
  const parts: Buffer[] = [];
  for (;;) {
    const part = Buffer.alloc(PART);
    try {
      const length = readSync(descriptor, part);
      if (length === 0) return Buffer.concat(parts).toString("utf8");
      parts.push(part.subarray(0, length));
    } catch (problem) {
      const { code } = problem as NodeJS.ErrnoException;
      // Windows says so at the end of a pipe.
      if (code === "EOF") return Buffer.concat(parts).toString("utf8");
      if (code !== "EAGAIN") throw problem;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}
