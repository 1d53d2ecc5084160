// A process and everything it started: by groups and sessions, by parents, and by what only they have in their environment.
import { system } from "./here.ts";
import type { ProcessEntry, System } from "./system.ts";

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
  /** Who runs cannot be seen here. */
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
