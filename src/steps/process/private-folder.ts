// A temporary folder that only this user can enter; in memory where the system has room for that. On a busy disk, making
// and removing one small file for every script costs as much as the script.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function makePrivateFolder(): string {
  try {
    return mkdtempSync(join(preferred(), "segno-"));
  } catch {
    return mkdtempSync(join(tmpdir(), "segno-"));
  }
}

/** Whoever sets TMPDIR has a reason for it. */
const preferred = (): string => (process.platform === "linux" && !process.env.TMPDIR ? "/dev/shm" : tmpdir());
