// A script with V8's compiled form of it kept beside: compiling takes longer than anything else that a short command
// does. Whatever is wrong with what was kept, the script is compiled as if it were not there.
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { constants, Script } from "node:vm";

export interface Compiled {
  /** What the script evaluates to. */
  readonly value: unknown;
  /** There when nothing fit was kept. Called last, so that it finds all functions that were needed compiled. */
  readonly keep?: () => void;
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

/** Runs a script of plain ASCII. */
export function runScript(file: string): Compiled {
  if (!isHushed) hushLoader();
  isHushed = true;
  const { bytes, owner } = readOwned(file);
  const kept = `${file}.${process.version}-${process.arch}.cache`;
  const cachedData = keptCode(kept, owner);
  const script = new Script(bytes.toString("latin1"), {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const value: unknown = script.runInThisContext();
  // V8 refuses what another version or other flags have compiled.
  return script.cachedDataRejected === false ? { value } : { value, keep: () => keep(kept, script) };
}

interface Owned {
  readonly bytes: Buffer;
  readonly owner: number;
  readonly mode: number;
}

function readOwned(file: string): Owned {
  const opened = openSync(file, "r");
  try {
    const { uid, mode } = fstatSync(opened);
    return { bytes: readFileSync(opened), owner: uid, mode };
  } finally {
    closeSync(opened);
  }
}

const OTHERS_MAY_WRITE = 0o022;

/** Compiled code is believed like the program itself, so it must be as hard to replace. */
function keptCode(file: string, programOwner: number): Buffer | undefined {
  try {
    const { bytes, owner, mode } = readOwned(file);
    const isOurs = owner === programOwner || owner === process.getuid?.();
    return process.platform === "win32" || (isOurs && (mode & OTHERS_MAY_WRITE) === 0) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function keep(file: string, script: Script): void {
  const fresh = `${file}.${process.pid}`;
  try {
    writeFileSync(fresh, script.createCachedData(), { mode: 0o644, flag: "wx" });
    renameSync(fresh, file);
  } catch {
    // A folder that this user may not write to: the next start compiles again.
    rmSync(fresh, { force: true });
  }
}
