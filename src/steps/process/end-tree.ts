// Ends a process and everything it started: TERM, five seconds, KILL. A process can leave its group (setsid) and its
// parent (a double fork); it cannot easily leave its environment, so that is looked at as well, where it can be seen.
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { system } from "./here.ts";
import { isPrivateFolder, removePrivateFolder } from "./private-folder.ts";
import type { ProcessEntry, System } from "./system.ts";

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

/** Ends a process group that outlived its engine, unless its pid is another's by now. True when there was something to end. */
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
 * Ends what an engine started and was killed before it could write that down, by what only it has in its environment
 * (`NAME=value`). Gives the number of its group, where there is one to be seen.
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

// A process and everything it started: by groups and sessions, by parents, and by what only they have in their environment.

export interface Root {
  readonly pid: number;
  readonly identity: string;
  /** `NAME=value` that only this process and what it started have in their environment. */
  readonly mark?: string;
  /** When the first of them began, where that was before this process: comparable with `ProcessEntry.began`. */
  readonly since?: number;
}

/** What a process started, as far as it can be found; who was seen once stays known when its parent is gone. */
export class ProcessTree {
  readonly #known = new Map<number, string>();
  isUnseen = false;

  constructor(
    private readonly root: Root,
    private readonly on: System = system,
  ) {
    this.#known.set(root.pid, root.identity);
  }

  async alive(): Promise<ProcessEntry[]> {
    const table = await this.on.processes();
    this.isUnseen = table === undefined;
    if (!table) return [];
    const { pid, identity, mark, since } = this.root;
    const leader = table.get(pid);
    // The number of a group is not given away while the group lives; a leader of another identity is another group.
    const groupIsOurs = leader === undefined || this.on.isSameProcess(leader, identity);
    const began = since ?? this.on.beganAt(identity);
    const isOurs = (entry: ProcessEntry): boolean => {
      if (this.#knows(entry)) return true;
      if (entry.pid === process.pid || entry.began < began) return false;
      if (groupIsOurs && (entry.group === pid || entry.session === pid)) return true;
      if (this.#knowsParent(entry, table.get(entry.parent))) return true;
      return mark !== undefined && this.on.environmentOf(entry.pid).includes(mark);
    };
    // Children may stand before their parents in the table, so look until nothing new is found.
    for (let size = -1; size !== this.#known.size; ) {
      size = this.#known.size;
      for (const entry of table.values()) if (isOurs(entry)) this.#known.set(entry.pid, entry.identity);
    }
    return [...table.values()].filter((entry) => !entry.zombie && this.#knows(entry));
  }

  /** A process that ended while the table was read may have started one that the table lacks: so it is read twice. */
  async aliveForSure(): Promise<ProcessEntry[]> {
    const alive = await this.alive();
    return alive.length === 0 ? this.alive() : alive;
  }

  /** On Windows a process keeps its parent's number when that is gone, and when it is another's. */
  #knowsParent(entry: ProcessEntry, parent: ProcessEntry | undefined): boolean {
    if (parent && !(parent.began > entry.began)) return this.#knows(parent);
    return this.#known.has(entry.parent);
  }

  #knows(entry: ProcessEntry): boolean {
    const identity = this.#known.get(entry.pid);
    return identity !== undefined && this.on.isSameProcess(entry, identity);
  }
}
