// The store: whether it works, what it holds, whether an older Segno wrote it, and how to make room.
import type { StoreCensus, StoreUpkeep } from "../../hosts/store.ts";
import { broken, type Check, good } from "./check.ts";

const KEPT = 200;

export function checkStore(upkeep: StoreUpkeep, now: number): readonly Check[] {
  const checks = upkeep.check(now).map((check) => ({ ...check, name: `store.${check.name}` }));
  try {
    const census = upkeep.census();
    return [...checks, sizeCheck(census), formatCheck(census)];
  } catch (problem) {
    return [...checks, broken("store.size", problem instanceof Error ? problem.message : String(problem))];
  }
}

const megabytes = (bytes: number): string =>
  bytes < 1024 * 1024 ? "less than 1 MB" : `${Math.round(bytes / 1024 / 1024)} MB`;

function sizeCheck({ runs, bytes }: StoreCensus): Check {
  const size = bytes === null ? "too many files to count" : megabytes(bytes);
  const beyond = runs - KEPT;
  const prune =
    beyond > 0
      ? `segno runs prune would remove ${beyond}, all but the newest ${KEPT}; --keep N keeps another number`
      : `segno runs prune keeps the newest ${KEPT}; --keep N keeps another number`;
  return good("store.size", `${runs} ${runs === 1 ? "run" : "runs"}, ${size}. ${prune}.`);
}

function formatCheck({ older, formats }: StoreCensus): Check {
  const now = `format ${formats.state} of state.db, ${formats.journal} of journals`;
  if (older.length === 0) return good("store.format", `${now}; nothing waits for a migration`);
  const [first] = older;
  const which = older.length === 1 ? `${first} was` : `${older.length} files were`;
  return good("store.format", `${now}; ${which} written by an older Segno and will be migrated when next opened`);
}
