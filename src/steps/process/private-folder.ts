// A temporary folder that only this user can enter; in memory where the system has room for that. On a busy disk, making
// and removing one small file for every script costs as much as the script.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const PREFIX = "segno-errors-";

/** Whether a folder is one of these, by its name. */
export const isPrivateFolder = (path: string): boolean => basename(path).startsWith(PREFIX);

export function makePrivateFolder(): string {
  try {
    return mkdtempSync(join(preferred(), PREFIX));
  } catch {
    return mkdtempSync(join(tmpdir(), PREFIX));
  }
}

/** Whoever sets TMPDIR has a reason for it. */
const preferred = (): string => (process.platform === "linux" && !process.env.TMPDIR ? "/dev/shm" : tmpdir());
