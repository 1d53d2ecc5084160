// Begins to pack and install the package when the tests begin, and removes it after the last of them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packInto, SHARED_FOLDER } from "./pack-copy.ts";

export default function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "segno-package-"));
  process.env[SHARED_FOLDER] = folder;
  const stop = new AbortController();
  const packing = packInto(folder, stop.signal);
  return async () => {
    stop.abort();
    await packing;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
