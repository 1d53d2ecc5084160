// Begins to pack and install the package when the tests begin, and removes it after the last of them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/until.ts";
import { packInto, SHARED_FOLDER } from "./pack-copy.ts";

export default function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "segno-package-"));
  process.env[SHARED_FOLDER] = folder;
  const stop = new AbortController();
  const packing = packInto(folder, stop.signal);
  return async () => {
    stop.abort();
    await packing;
    // What npm had started writes on for a moment.
    await until(() => isRemoved(folder));
  };
}

function isRemoved(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
