// Loading a plugin runs foreign code. One that never settles leaves Node with nothing to do, and Node then ends the process
// with exit code 0 and no word: to a pipeline that is a success. One that ends the process would do the same, and keep
// commands from their work that need no plugin at all.
import { whenNothingIsLeft } from "../../errors/stray-fault.ts";

/** What `load` gives; else a reason: nothing is left that could end it, it takes too long, or it wants to end the process. */
export async function inGoodTime<T>(load: () => Promise<T>, limitMs: number): Promise<T> {
  let giveUp: (why: Error) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const ranDry = () => giveUp(new Error("it awaits something that never comes, so it never finishes loading"));
  const { exit } = process;
  let isLoading = true;
  const stay = (code?: number | string | null): never => {
    // Kept by a plugin for later.
    if (!isLoading) return process.exit(code);
    const why = new Error("it ended the process while it was loaded (process.exit)");
    giveUp(why);
    throw why;
  };
  const limit = setTimeout(() => giveUp(new Error(`it did not finish loading in ${limitMs / 1000} seconds`)), limitMs);
  // An open timer would keep the process from noticing that nothing else is left.
  limit.unref();
  const settled = whenNothingIsLeft(ranDry);
  // Errors of a timer or a stream that the plugin began: no other code runs while it loads.
  process.setUncaughtExceptionCaptureCallback(giveUp);
  process.exit = stay;
  try {
    return await Promise.race([stopped, load()]);
  } finally {
    isLoading = false;
    clearTimeout(limit);
    settled();
    process.setUncaughtExceptionCaptureCallback(null);
    process.exit = exit;
  }
}
