// A script with V8's compiled form of it kept in the user's cache folder: compiling takes longer than anything else that a
// short command does. Whatever is wrong with what was kept, the script is compiled as if it were not there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, Script } from "node:vm";
import { cachePath, isOurs, makeOurs } from "./cache-folder.ts";
import { keptName, readKept, sweepKept, textOf, writeKept } from "./kept-file.ts";

/** A first command may need little of a script: what the next ones compile is added, until most of it is there. */
const MOST_TIMES = 3;

export interface Compiled {
  /** What the script evaluates to. */
  readonly value: unknown;
  /** It was compiled by an earlier start. */
  readonly wasKept: boolean;
  /** There when there is something to keep. */
  readonly keep?: Keeping;
}

export interface Keeping {
  /** Takes what is compiled now, and nothing that is compiled later. */
  take(): void;
  /** Called last, so that it finds all functions that were needed compiled, unless they were taken before. */
  write(): void;
}

/** Node calls the loader below experimental, once, on stderr, to people who can do nothing about it. */
function hushLoader(): void {
  const emit = process.emitWarning;
  const hushed = (warning: string | Error, ...rest: unknown[]): void => {
    if (!String(warning).includes("USE_MAIN_CONTEXT_DEFAULT_LOADER")) Reflect.apply(emit, process, [warning, ...rest]);
  };
  process.emitWarning = hushed as typeof process.emitWarning;
}

let isHushed = false;

/** Runs a script of plain ASCII. Of each use of it those functions are kept that were needed there. */
export function runScript(file: string, use: string, cache: string | undefined = cachePath()): Compiled {
  if (!isHushed) hushLoader();
  isHushed = true;
  const bytes = readFileSync(file);
  const text = textOf(bytes);
  const kept = cache === undefined ? undefined : join(cache, keptName(file, use, text));
  const before = cache && kept && isOurs(cache) ? readKept(kept, text) : undefined;
  const script = new Script(bytes.toString("latin1"), {
    filename: file,
    ...(before ? { cachedData: before.code } : {}),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const value: unknown = script.runInThisContext();
  // V8 refuses what other flags have compiled.
  const wasKept = script.cachedDataRejected === false;
  const times = wasKept && before ? before.times : 0;
  if (!cache || !kept || times >= MOST_TIMES) return { value, wasKept };
  let code: Buffer | undefined;
  const take = (): Buffer => (code ??= script.createCachedData());
  const write = (): void => {
    if (!makeOurs(cache)) return;
    try {
      writeKept(kept, text, { code: take(), times: times + 1 });
      sweepKept(cache, Date.now());
    } catch {
      // Nothing can be written there: the next start compiles again.
    }
  };
  return { value, wasKept, keep: { take, write } };
}
