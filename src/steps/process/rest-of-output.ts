// After a process has exited: its output is read on until everybody who has it open has closed it, since what a background
// child or a filter (`exec > >(tee log)`) prints is output of the step too. Nothing is read any more once the grace has
// passed without a byte; who still has the output open then is named.
import type { Caller } from "../caller.ts";
import type { OutputHolder } from "../world.ts";
import { ProcessTree, type Root } from "./end-tree.ts";
import { system } from "./here.ts";
import type { OutputPipe } from "./output.ts";

export const DEFAULT_GRACE_SECONDS = 10;
/** Without a grace, and after an abort, only what has been printed already is read: until it is quiet, but not for long. */
const QUIET_MS = 100;
const LONGEST_MS = 1000;

/**
 * Gives who still has the pipes open when reading ends; undefined if they are closed. Pipes that are still open are read on and
 * thrown away without keeping the program alive: closing them would kill the background child at its next write.
 */
export async function readRest(
  pipes: readonly OutputPipe[],
  root: Root,
  attempt: Pick<Caller, "clock" | "signal" | "workflow">,
): Promise<readonly OutputHolder[] | undefined> {
  if (pipes.every(isClosed)) return undefined;
  await closedOrQuiet(pipes, attempt);
  const open = pipes.filter((pipe) => !isClosed(pipe));
  if (open.length === 0) return undefined;
  const holders = await holdersOf(open, root);
  for (const pipe of open) letGo(pipe);
  return open.every(isClosed) ? undefined : holders;
}

const isClosed = ({ reader }: OutputPipe): boolean => reader.closed;

/** Plain callbacks: this runs once for every script, and promises with signals cost more than the rest of it. */
function closedOrQuiet(
  pipes: readonly OutputPipe[],
  { clock, signal, workflow }: Pick<Caller, "clock" | "signal" | "workflow">,
): Promise<void> {
  const graceMs = Number(workflow.runtime.script_grace_seconds ?? DEFAULT_GRACE_SECONDS) * 1000;
  return new Promise((resolve) => {
    let heardAt: number | undefined;
    let quietMs = graceMs;
    let until = Number.POSITIVE_INFINITY;
    const hear = (): void => {
      heardAt = clock.now();
    };
    const close = (): void => {
      if (pipes.every(isClosed)) settle();
    };
    const settle = (): void => {
      callOff();
      signal.removeEventListener("abort", hurry);
      for (const { reader } of pipes) reader.removeListener("data", hear).removeListener("close", close);
      resolve();
    };
    const look = (): void => {
      const now = clock.now();
      if (heardAt === undefined || now >= until) settle();
      else {
        const left = quietMs - (now - heardAt);
        heardAt = undefined;
        wait(Math.max(0, left));
      }
    };
    // A busy program may come here late, with data waiting: it gets a turn to be read before silence is believed.
    const wait = (ms: number): void => {
      callOff = clock.after(ms, () => {
        const turn = setImmediate(look);
        callOff = () => clearImmediate(turn);
      });
    };
    const hurry = (): void => {
      callOff();
      quietMs = QUIET_MS;
      until = clock.now() + LONGEST_MS;
      wait(quietMs);
    };
    let callOff = (): void => {};
    for (const { reader } of pipes) reader.on("data", hear).on("close", close);
    if (graceMs === 0 || signal.aborted) hurry();
    else {
      wait(graceMs);
      signal.addEventListener("abort", hurry, { once: true });
    }
  });
}

function letGo({ reader }: OutputPipe): void {
  reader.removeAllListeners("data");
  reader.resume();
  (reader as typeof reader & { unref?: () => void }).unref?.();
}

/** Where open files of others cannot be seen, all that the process started and that still runs is taken for a holder. */
async function holdersOf(open: readonly OutputPipe[], root: Root): Promise<readonly OutputHolder[]> {
  const files = open.flatMap(({ file }) => (file === undefined ? [] : [file]));
  const seen = files.length === open.length ? system.holdersOf(files) : undefined;
  const pids = seen ?? (await new ProcessTree(root).alive()).map(({ pid }) => pid);
  return pids.map((pid) => {
    const name = system.nameOf(pid);
    return name === undefined ? { pid } : { pid, name };
  });
}
