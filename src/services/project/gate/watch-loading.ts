// A plugin with an endless loop blocks the thread that loads it: no timer fires there, and nothing would be said. This
// thread, which is awake, says it and ends the program. (To end the loop alone, `Runtime.terminateExecution`, leaves Node's
// books on async contexts in disorder, and it aborts.)
import { writeSync } from "node:fs";
import { ALL_LOADED, type PluginLoading } from "./loading.ts";

const LOOK_MS = 100;
/** So much longer than the limit: a thread that is not blocked says it itself. */
const LATER_MS = 500;
/** A thread that waits for another program hears nothing. */
const DEAF_MS = 2000;

export function watchLoading({ state, names, limitMs }: PluginLoading): void {
  let seen = 0;
  // Not the time of day: a machine that slept for an hour has loaded nothing meanwhile.
  let looks = 0;
  const looking = setInterval(() => {
    const begun = Atomics.load(state, 0);
    if (begun === ALL_LOADED) return clearInterval(looking);
    if (begun !== seen) {
      seen = begun;
      looks = 0;
    } else if (begun > 0 && ++looks * LOOK_MS > limitMs + LATER_MS) {
      clearInterval(looking);
      say(
        `segno: the plugin ${harmless(names[begun - 1])} of segno.yaml could not be loaded: it did not finish loading in ${limitMs / 1000} seconds, and lets nothing else run meanwhile. Look for a loop that never ends; after \`segno trust --revoke\` commands go on without it.`,
      );
      setTimeout(() => process.kill(process.pid, "SIGKILL"), DEAF_MS);
      void endProcess();
    }
  }, LOOK_MS);
}

/** Only the thread that the process began with can give it an exit code; its debugger interrupts also a loop. */
async function endProcess(): Promise<void> {
  const { Session } = await import("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  // Without stderr, where Node would say that it waits for a debugger.
  session.post("Runtime.evaluate", {
    expression: 'process.getBuiltinModule("node:fs").closeSync(2); process.reallyExit(2)',
  });
}

/** This goes past what guards all else that is printed. */
const harmless = (name = ""): string => name.replace(/[^\w@./\\ -]/g, "?");

function say(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // Nobody reads it.
  }
}
