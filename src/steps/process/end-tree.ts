// Ends a process and everything it started: TERM, five seconds, KILL. A process can leave its group (setsid) and its
// parent (a double fork); it cannot easily leave its environment, so that is looked at as well, where it can be seen.
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { system } from "./here.ts";
import { isPrivateFolder, removePrivateFolder } from "./private-folder.ts";
import { ProcessTree, type Root } from "./process-tree.ts";
import type { ProcessEntry } from "./system.ts";

const ERROR_FILE = "CONDUCTOR_ERROR_OUT=";
/** What everything has that was started for one attempt. */
const ATTEMPT = "SEGNO_IDEMPOTENCY_KEY=";
const GRACE_MS = 5000;

export async function endTree(root: Root, graceMs: number = GRACE_MS): Promise<void> {
  const tree = new ProcessTree(root);
  if (system.canAsk && (await isGoneWhenAsked(tree, root.pid, graceMs))) return;
  // What does not die at once, a process in uninterruptible sleep, is left to the kernel.
  await isGone(tree, system.killMs, (left) => system.signal(root.pid, left, "SIGKILL"));
  if (tree.isUnseen) system.signalTrees([root.pid], "SIGKILL");
}

async function isGoneWhenAsked(tree: ProcessTree, pid: number, graceMs: number): Promise<boolean> {
  let asked: readonly ProcessEntry[] = await tree.alive();
  system.signal(pid, asked, "SIGTERM");
  // A stopped process does not see TERM before it goes on.
  system.signal(pid, asked, "SIGCONT");
  const isAsked = ({ pid }: ProcessEntry): boolean => asked.some((one) => one.pid === pid);
  const askNewcomers = (alive: readonly ProcessEntry[]): void => {
    // A process that was asked to end may start others to clean up; those that outlive it are asked next.
    if (alive.some(isAsked)) return;
    asked = alive;
    system.signal(pid, asked, "SIGTERM");
  };
  return isGone(tree, graceMs, askNewcomers);
}

/**
 * Ends a process group that outlived the engine that started it. `startedAt` is what `script_spawned` said: a pid that
 * belongs to another process by now is left alone. True when there was something to end.
 */
export async function endProcessGroup(pid: number, startedAt: string): Promise<boolean> {
  if (!system.isFromThisBoot(startedAt)) return false;
  const left = await new ProcessTree({ pid, identity: startedAt }).alive();
  if (left.length === 0) return false;
  const variables = left.flatMap((entry) => system.environmentOf(entry.pid));
  const file = variables.find((one) => one.startsWith(ERROR_FILE));
  await endTree({ pid, identity: startedAt, mark: file ?? variables.find((one) => one.startsWith(ATTEMPT)) });
  // Its engine was killed before it could remove the error file.
  if (file) removeErrorFolder(file.slice(ERROR_FILE.length));
  return true;
}

/**
 * Ends what an engine started and was killed before it could write that down: found by what only it has in its
 * environment (`NAME=value`). Gives the number of its group; nothing when there is none, or where that cannot be seen.
 */
export async function endMarked(mark: string): Promise<number | undefined> {
  if (!system.environments().some((variables) => variables.includes(mark))) return undefined;
  const marked = [...((await system.processes()) ?? new Map<number, ProcessEntry>()).values()].filter(
    (entry) => !entry.zombie && system.environmentOf(entry.pid).includes(mark),
  );
  const leader = marked.find((entry) => entry.pid === entry.group) ?? marked[0];
  if (!leader) return undefined;
  const file = system.environmentOf(leader.pid).find((one) => one.startsWith(ERROR_FILE));
  // A shell may have begun before what leads a group of its own, and goes on when that is ended.
  const since = Math.min(...marked.map(({ began }) => began));
  await endTree({ pid: leader.pid, identity: leader.identity, mark, since });
  if (file) removeErrorFolder(file.slice(ERROR_FILE.length));
  return leader.group;
}

function removeErrorFolder(file: string): void {
  const folder = dirname(file);
  if (isPrivateFolder(folder)) removePrivateFolder(folder);
}

async function isGone(
  tree: ProcessTree,
  withinMs: number,
  each: (alive: readonly ProcessEntry[]) => void,
): Promise<boolean> {
  const until = performance.now() + withinMs;
  for (let wait = 5; ; wait = Math.min(wait * 2, 200)) {
    const alive = await tree.aliveForSure();
    if (alive.length === 0) return true;
    const left = until - performance.now();
    if (left <= 0) return false;
    each(alive);
    await pause(Math.min(wait, left));
  }
}
