// Loading a plugin is a promise of foreign code. One that never settles leaves Node with nothing to do, and Node then ends
// the process with exit code 0 and no word: to a pipeline that is a success.
import { writeSync } from "node:fs";

/** A plugin that asks a service while it loads may take its time; a command that says nothing for longer looks dead. */
const LIMIT_MS = 30_000;

/** What `loading` gives; else a reason, when nothing is left that could end it or when it takes too long. */
export async function inGoodTime<T>(
  loading: Promise<T>,
  { limitMs = LIMIT_MS, onExit }: { readonly limitMs?: number; readonly onExit: (why: string) => string },
): Promise<T> {
  let giveUp: (why: Error) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const ranDry = () => giveUp(new Error("it awaits something that never comes, so it never finishes loading"));
  const leaving = (code: number) => {
    if (code !== 0) return;
    writeSync(2, `${onExit("it ended the process while it was loaded (process.exit)")}\n`);
    process.exitCode = 2;
  };
  const limit = setTimeout(() => giveUp(new Error(`it did not finish loading in ${limitMs / 1000} seconds`)), limitMs);
  // An open timer would keep the process from noticing that nothing else is left.
  limit.unref();
  process.once("beforeExit", ranDry);
  process.once("exit", leaving);
  try {
    return await Promise.race([loading, stopped]);
  } finally {
    clearTimeout(limit);
    process.off("beforeExit", ranDry);
    process.off("exit", leaving);
  }
}
