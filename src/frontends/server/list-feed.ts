// The list of runs for all clients that follow it: the store is polled once for all of them, and only while there is a
// client. Changes are kept for a while, so that each client gets those it has not had.
import { setTimeout as pause } from "node:timers/promises";
import type { ListedRun, ShownRuns } from "./views/run-list.ts";
import { wokenIn } from "./views/watched-run.ts";

/** Those who follow the list look at its newest part. */
const MOST_ROWS = 500;
const FIRST_ROWS = 50;
const LOOK_MS = 250;
/** Looks that changed something. A reader that is further behind gets the newest rows again. */
const MOST_KEPT = 100;

export interface ListNews {
  readonly rows: readonly ListedRun[];
  readonly removed: readonly string[];
}

export interface ListReader {
  /** What is new since the last time; at first the newest rows, whatever the reader knows of them. */
  next(): Promise<ListNews>;
  /** Resolves when there is something new, or when aborted. */
  changed(signal: AbortSignal): Promise<void>;
  leave(): void;
}

export class ListFeed {
  readonly #list: Pick<ShownRuns, "rows" | "version">;
  readonly #stopping: AbortSignal;
  readonly #waiting = new Set<() => void>();
  #rows: readonly ListedRun[] = [];
  #texts = new Map<string, string>();
  #version: string | undefined;
  /** The newest last; the number of the last is `#seen`. */
  #looks: { readonly changed: readonly string[]; readonly removed: readonly string[] }[] = [];
  #seen = 0;
  #readers = 0;
  #isLooking = false;
  #looking: Promise<void> | undefined;

  constructor(list: Pick<ShownRuns, "rows" | "version">, stopping: AbortSignal) {
    this.#list = list;
    this.#stopping = stopping;
  }

  enter(): ListReader {
    this.#readers += 1;
    if (!this.#isLooking) void this.#keepLooking();
    let seen: number | undefined;
    let isIn = true;
    return {
      next: async () => {
        if (seen === undefined) await this.#look();
        const news = this.#since(seen);
        seen = this.#seen;
        return news;
      },
      changed: async (signal) => {
        if (seen !== this.#seen) return;
        await wokenIn(this.#waiting, signal);
      },
      leave: () => {
        if (isIn) this.#readers -= 1;
        isIn = false;
      },
    };
  }

  #since(seen: number | undefined): ListNews {
    if (seen === undefined) return { rows: this.#rows.slice(0, FIRST_ROWS), removed: [] };
    const missed = this.#seen - seen;
    if (missed > this.#looks.length) return { rows: this.#rows, removed: [] };
    const looks = missed === 0 ? [] : this.#looks.slice(-missed);
    const changed = new Set(looks.flatMap((look) => look.changed));
    const there = new Set(this.#rows.map(({ run_id }) => run_id));
    const removed = new Set(looks.flatMap((look) => look.removed));
    return {
      rows: this.#rows.filter(({ run_id }) => changed.has(run_id)),
      removed: [...removed].filter((id) => !there.has(id)),
    };
  }

  async #keepLooking(): Promise<void> {
    this.#isLooking = true;
    while (this.#readers > 0 && !this.#stopping.aborted) {
      await pause(LOOK_MS, undefined, { signal: this.#stopping, ref: false }).catch(() => {});
      // What fails is tried again the next time.
      if (this.#readers > 0 && !this.#stopping.aborted) await this.#look().catch(() => {});
    }
    this.#isLooking = false;
  }

  /** One at a time. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookNow(): Promise<void> {
    const version = await this.#list.version(MOST_ROWS);
    if (version === this.#version) return;
    const rows = await this.#list.rows(MOST_ROWS);
    const texts = new Map(rows.map((row) => [row.run_id, JSON.stringify(row)]));
    const before = this.#texts;
    const oldest = rows.at(-1)?.run_id ?? "";
    const look = {
      changed: rows.flatMap(({ run_id }) => (before.get(run_id) === texts.get(run_id) ? [] : [run_id])),
      // One that has only moved off the end of the list is still there.
      removed: [...before.keys()].filter((id) => !texts.has(id) && (rows.length < MOST_ROWS || id > oldest)),
    };
    this.#version = version;
    this.#rows = rows;
    this.#texts = texts;
    if (look.changed.length === 0 && look.removed.length === 0) return;
    this.#looks = [...this.#looks, look].slice(-MOST_KEPT);
    this.#seen += 1;
    for (const wake of [...this.#waiting]) wake();
  }
}
