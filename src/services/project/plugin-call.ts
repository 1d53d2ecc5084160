// A call of a plugin's code that is not over at once. It ends by itself; or because something that it began has failed,
// because nothing is left in this program that could end it, or some seconds after its signal when it does not heed
// that: its caller holds a slot that others wait for.
import type { Raised } from "../../errors/index.ts";
import { ownCodeFault } from "../../errors/own-code.ts";
import { whenNothingIsLeft } from "../../errors/stray-fault.ts";
import { NOT_STOPPED, PATIENCE_MS, patienceWith } from "../own-steps/patience.ts";
import { type PluginWork, whoseWork } from "./plugin-work.ts";

export interface PluginCall<Given> {
  readonly work: PluginWork;
  /** "`execute` of the step type shout". */
  readonly code: string;
  /** Aborts on timeout and cancel. */
  readonly signal: AbortSignal;
  /** What the call gives, or throws, when it does not end by itself. */
  readonly failWith: (raised: Raised) => Given;
  /** The call ends with what it began and did not wait for, and hears of it here. */
  readonly broken?: (problem: unknown) => void;
  /** Tells a person, in a sentence. */
  readonly warn: (sentence: string) => void;
}

export async function untilEnded<Given>(given: Promise<Given>, call: PluginCall<Given>): Promise<Given> {
  const { work, code, signal, broken } = call;
  let stop: (message: string, problem?: unknown) => void = () => {};
  const stopped = new Promise<() => Given>((end) => {
    stop = (message, problem) => end(() => call.failWith(ownCodeFault(code, `${code} ${message}`, problem)));
  });
  const settled = whenNothingIsLeft(() =>
    stop("waits for something that never comes: nothing is left in this program that could end it"),
  );
  if (broken)
    work.fail = (why, problem) => {
      stop(`began something that failed and that it did not wait for: ${why}`, problem);
      // Whatever it still does is no longer waited for.
      broken(problem);
    };
  const patience = patienceWith(signal, () => {
    call.warn(
      `${whoseWork(work)} did not stop: ${code} went on for ${PATIENCE_MS / 1000} seconds after its \`signal\` was aborted. It is not waited for any longer, and may still be doing something.`,
    );
    stop(NOT_STOPPED);
  });
  try {
    const end = await Promise.race([given.then((value) => () => value), stopped]);
    requireStay(work);
    return end();
  } catch (problem) {
    if (work.triedToEnd) return call.failWith(faultOfEnd(code, work.triedToEnd));
    throw problem;
  } finally {
    settled();
    work.fail = undefined;
    patience.end();
  }
}

/** What the call has failed with when it tried to end the process. */
export const faultOfEnd = (code: string, problem: Error): Raised =>
  ownCodeFault(code, `${code} tried to end the program: ${problem.message}`, problem);

/** Throws when it tried to end the process, whatever it made of that. */
export function requireStay({ triedToEnd }: PluginWork): void {
  if (triedToEnd) throw triedToEnd;
}
