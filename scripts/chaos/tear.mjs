// A torn write: the end of the journal's log is cut off, as a power cut does it. What is left must still be a run.
import { existsSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

/** The log of a run that was made and has done nothing yet is shorter than this. */
const BEGINNING = 28_000;

export const tearLog = (random) => (folder) => {
  const log = join(folder, "journal.db-wal");
  if (!existsSync(log)) return;
  const { size } = statSync(log);
  // Without its beginning it is no run at all: only what came after that is torn off.
  if (size > BEGINNING) truncateSync(log, size - random.between(1, Math.min(size - BEGINNING, 20_000)));
  rmSync(join(folder, "journal.db-shm"), { force: true });
};
