// A torn write: the end of the journal's log is cut off, as a power cut does it. What is left must still be a run.
import { existsSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

export const tearLog = (random) => (folder) => {
  const log = join(folder, "journal.db-wal");
  if (!existsSync(log)) return;
  const { size } = statSync(log);
  // The beginning of a run is flushed into the journal itself; only what came after it can be torn off.
  if (size > 8192) truncateSync(log, size - random.between(1, Math.min(size - 8192, 20_000)));
  rmSync(join(folder, "journal.db-shm"), { force: true });
};
