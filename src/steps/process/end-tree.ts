// Ends a process and everything it started: TERM, five seconds, KILL. A process can leave its group (setsid) and its
// parent (a double fork); it cannot easily leave its environment, so that is looked at as well.
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isPrivateFolder, removePrivateFolder } from "./private-folder.ts";
import {
  beganAt,
  environmentOf,
  isFromThisBoot,
  isSameProcess,
  type ProcessEntry,
  processTable,
} from "./process-table.ts";

export interface Root {
  readonly pid: number;
  readonly identity: string;
  /** `NAME=value` that only this process and what it started have in their environment. */
  readonly mark?: string;
  /** When the first of them began, where that was before this process: comparable with `ProcessEntry.began`. */
  readonly since?: number;
}

const ERROR_FILE = "CONDUCTOR_ERROR_OUT=";
/** What everything has that was started for one attempt. */
const ATTEMPT = "SEGNO_IDEMPOTENCY_KEY=";
const GRACE_MS = 5000;
/** How long to go on killing what does not die at once: a process in uninterruptible sleep is left to the kernel. */
const KILL_MS = 2000;

export async function endTree(root: Root, graceMs: number = GRACE_MS): Promise<void> {
  const tree = new ProcessTree(root);
  let asked: readonly ProcessEntry[] = tree.alive();
  signal(root.pid, asked, "SIGTERM");
  // A stopped process does not see TERM before it goes on.
  signal(root.pid, asked, "SIGCONT");
  const isAsked = ({ pid }: ProcessEntry): boolean => asked.some((one) => one.pid === pid);
  const askNewcomers = (alive: readonly ProcessEntry[]): void => {
    // What somebody starts who was asked to end is how it cleans up; what it leaves behind is asked in its turn.
    if (alive.some(isAsked)) return;
    asked = alive;
    signal(root.pid, asked, "SIGTERM");
  };
  if (await isGone(tree, graceMs, askNewcomers)) return;
  await isGone(tree, KILL_MS, (left) => signal(root.pid, left, "SIGKILL"));
}

/**
 * Ends a process group that outlived the engine that started it. `startedAt` is what `script_spawned` said: a pid that
 * belongs to another process by now is left alone. True when there was something to end.
 */
export async function endProcessGroup(pid: number, startedAt: string): Promise<boolean> {
  if (!isFromThisBoot(startedAt)) return false;
  const left = new ProcessTree({ pid, identity: startedAt }).alive();
  if (left.length === 0) return false;
  const variables = left.flatMap((entry) => environmentOf(entry.pid));
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
  const marked = [...processTable().values()].filter(
    (entry) => !entry.zombie && environmentOf(entry.pid).includes(mark),
  );
  const leader = marked.find((entry) => entry.pid === entry.group) ?? marked[0];
  if (!leader) return undefined;
  const file = environmentOf(leader.pid).find((one) => one.startsWith(ERROR_FILE));
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

/** What a process started, as far as it can be found; who was seen once stays known when its parent is gone. */
class ProcessTree {
  readonly #known = new Map<number, string>();

  constructor(private readonly root: Root) {
    this.#known.set(root.pid, root.identity);
  }

  alive(): ProcessEntry[] {
    const table = processTable();
    const { pid, identity, mark, since } = this.root;
    const leader = table.get(pid);
    // The number of a group is not given away while the group lives; a leader of another identity is another group.
    const groupIsOurs = leader === undefined || isSameProcess(leader, identity);
    const began = since ?? beganAt(identity);
    const isOurs = (entry: ProcessEntry): boolean => {
      if (this.#knows(entry)) return true;
      if (entry.pid === process.pid || entry.began < began) return false;
      if (groupIsOurs && (entry.group === pid || entry.session === pid)) return true;
      const parent = table.get(entry.parent);
      if (parent && this.#knows(parent)) return true;
      return mark !== undefined && environmentOf(entry.pid).includes(mark);
    };
    // Children may stand before their parents in the table, so look until nobody is new.
    for (let size = -1; size !== this.#known.size; ) {
      size = this.#known.size;
      for (const entry of table.values()) if (isOurs(entry)) this.#known.set(entry.pid, entry.identity);
    }
    return [...table.values()].filter((entry) => !entry.zombie && this.#knows(entry));
  }

  /** Who ended while the table was read may have started another that it does not show: nobody is nobody twice. */
  aliveForSure(): ProcessEntry[] {
    const alive = this.alive();
    return alive.length === 0 ? this.alive() : alive;
  }

  #knows(entry: ProcessEntry): boolean {
    const identity = this.#known.get(entry.pid);
    return identity !== undefined && isSameProcess(entry, identity);
  }
}

async function isGone(
  tree: ProcessTree,
  withinMs: number,
  each: (alive: readonly ProcessEntry[]) => void,
): Promise<boolean> {
  const until = performance.now() + withinMs;
  for (let wait = 5; ; wait = Math.min(wait * 2, 200)) {
    const alive = tree.aliveForSure();
    if (alive.length === 0) return true;
    const left = until - performance.now();
    if (left <= 0) return false;
    each(alive);
    await pause(Math.min(wait, left));
  }
}

/** To the group as one, so that nobody forks away in between, and to each of those that left it. */
function signal(group: number, entries: readonly ProcessEntry[], name: NodeJS.Signals): void {
  const inGroup = entries.some((entry) => entry.group === group);
  if (inGroup) send(-group, name);
  for (const entry of entries) if (entry.group !== group) send(entry.pid, name);
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself in the meantime, or changed its user; either way there is nothing to send.
  }
}
