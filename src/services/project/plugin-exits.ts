// A plugin that ends the process would end everybody's runs with it, on one worker after the other, and a command without an
// answer. What ends a process throws in a plugin's code instead; Segno itself leaves by `leaveProcess`.
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";
import { isLeavingProcess } from "../../errors/leave-process.ts";
import { currentWork } from "./plugin-work.ts";
import type { Project } from "./read-project.ts";

/** `process.reallyExit` is what Node's own `process.exit` calls; its types do not have it. */
type Ending = NodeJS.Process & { reallyExit(code?: number): never };

/** For the rest of the process. Gives what is to be called once plugins have been loaded. */
export function keepPluginsFromExit(covered: Project["covered"]): () => void {
  const ending = process as Ending;
  const { exit, abort, kill, reallyExit } = ending;
  let areLoaded = false;
  const refuse = (call: string): void => {
    if (isLeavingProcess()) return;
    const problem = new Error(
      `${call} was called, which would end this program and every run in it; throw an error or return failed(…) instead`,
    );
    const work = currentWork();
    if (!work && fileInStack(problem, covered) === undefined) return;
    if (work) work.triedToEnd ??= problem;
    throw problem;
  };
  ending.exit = (code) => {
    refuse(`process.exit(${code ?? ""})`);
    return exit.call(process, code);
  };
  ending.reallyExit = (code) => {
    // A plugin that blocks its thread while it is loaded is ended in the middle of its own code.
    if (areLoaded) refuse(`process.reallyExit(${code ?? ""})`);
    return reallyExit.call(process, code);
  };
  ending.abort = () => {
    refuse("process.abort()");
    return abort.call(process);
  };
  ending.kill = (pid, signal) => {
    // With signal 0 one only asks whether a process is there; 0 and negative numbers are groups of processes.
    if (signal !== 0 && (pid === 0 || Math.abs(pid) === process.pid)) refuse(`process.kill(${pid})`);
    return kill.call(process, pid, signal);
  };
  // Also for `import { exit } from "node:process"`.
  syncBuiltinESMExports();
  return () => {
    areLoaded = true;
  };
}

// Node loses the async context of `queueMicrotask`, and of what is emitted by an object that something else made. Then the
// stack tells whose code it was.

/** The first file of plugins in the stack. */
export function fileInStack(problem: unknown, covered: Project["covered"]): string | undefined {
  const stack = problem instanceof Error ? String(problem.stack) : "";
  return stack
    .split("\n")
    .map(fileOfFrame)
    .find((file) => file !== undefined && covered.has(file));
}

/** `at shout (file:///work/plugins.mjs:3:5)`, `at async /work/lib.cjs:1:2`. */
function fileOfFrame(line: string): string | undefined {
  const place = /^\s+at (?:.*\(|async )?(.+):\d+:\d+\)?$/.exec(line)?.[1];
  if (!place?.startsWith("file:")) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return undefined;
  }
}
