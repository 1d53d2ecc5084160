// The store: whether it works, what it holds, whether an older Segno wrote it, and how to make room.
import type { StoreCensus, StoreCheck, StoreUpkeep } from "../../hosts/store.ts";
import { COMMAND_LINE, type Reader } from "../../results/index.ts";
import { KEPT_RUNS } from "../prune.ts";
import { broken, type Check, good } from "./check.ts";

export function checkStore(upkeep: StoreUpkeep, now: number, reader: Reader = COMMAND_LINE): readonly Check[] {
  const checks = upkeep.check(now).map((check) => withRemedy(check, reader));
  try {
    const census = upkeep.census();
    return [...checks, sizeCheck(census, reader), formatCheck(census)];
  } catch (problem) {
    return [...checks, broken("store.size", problem instanceof Error ? problem.message : String(problem))];
  }
}

function withRemedy({ name, ok, message, remedy }: StoreCheck, reader: Reader): Check {
  const command = remedy && reader.ask({ to: remedy });
  const does = remedy === "prune" ? `${command} removes old runs.` : `To make it anew from the folders: ${command}`;
  return { name: `store.${name}`, ok, message: command ? `${message}. ${does}` : message };
}

const megabytes = (bytes: number): string =>
  bytes < 1024 * 1024 ? "less than 1 MB" : `${Math.round(bytes / 1024 / 1024)} MB`;

function sizeCheck({ runs, bytes }: StoreCensus, reader: Reader): Check {
  const size = bytes === null ? "too many files to count" : megabytes(bytes);
  const command = reader.ask({ to: "prune" });
  const prune = `${command} keeps the newest ${KEPT_RUNS} of each workflow; ${reader.give({ what: "option", name: "keep" })} N keeps another number`;
  return good("store.size", `${runs} ${runs === 1 ? "run" : "runs"}, ${size}.${command === null ? "" : ` ${prune}.`}`);
}

function formatCheck({ older, formats }: StoreCensus): Check {
  const now = `format ${formats.state} of state.db, ${formats.journal} of journals`;
  if (older.length === 0) return good("store.format", `${now}; nothing waits for a migration`);
  const [first] = older;
  const which = older.length === 1 ? `${first} was` : `${older.length} files were`;
  return good("store.format", `${now}; ${which} written by an older Segno and will be migrated when next opened`);
}
