// Which steps this run runs, as other runs see it in the store. A step stays entered while any attempt of it runs and a
// moment longer: each entry is a write to the disk, and the items of a group are many.
import { type Awaitable, mapMaybe, sequence } from "../../base/awaitable.ts";
import type { Redactor } from "../../base/redact/index.ts";
import type { AgentBoard } from "../../engine/contract.ts";
import type { StepElsewhere } from "../../storage/shared-state.ts";
import type { RunStore } from "../../storage/store.ts";

/** How long a step stays entered after its last attempt: the next item of a group begins within it. */
const STAYS_MS = 50;

interface Entry {
  /** Of the attempt that it was entered for. */
  readonly key: string;
  readonly entered: Awaitable<StepElsewhere>;
  running: number;
  /** How the last attempt went. */
  ok: boolean | undefined;
  leaving: NodeJS.Timeout | undefined;
}

export class StoredAgentBoard implements AgentBoard {
  readonly #entries = new Map<string, Entry>();
  #cleared: Awaitable<void> | undefined;

  /** `isFurther`: what an earlier drive of this run left behind does not run any more. */
  constructor(
    private readonly store: Pick<RunStore, "state">,
    private readonly runId: string,
    private readonly redactor: Pick<Redactor, "text">,
    private isFurther: boolean,
  ) {}

  begin(name: string, key: string): ReturnType<AgentBoard["begin"]> {
    const step = this.redactor.text(name);
    const entry = this.#entries.get(step) ?? this.#enter(step, key);
    clearTimeout(entry.leaving);
    entry.running += 1;
    return mapMaybe(entry.entered, ({ runningIn, lastFailed }) => {
      if (runningIn.length > 0) this.#forget(step, entry);
      return { running_in: runningIn, last_failed: entry.ok === undefined ? lastFailed : !entry.ok };
    });
  }

  end(name: string, _key: string, ok?: boolean): void {
    const step = this.redactor.text(name);
    const entry = this.#entries.get(step);
    if (!entry) return;
    entry.running -= 1;
    entry.ok = ok ?? entry.ok;
    if (entry.running > 0) return;
    entry.leaving = setTimeout(() => void this.#leave(step, entry), STAYS_MS).unref();
  }

  close(): void | Promise<void> {
    return sequence(
      ...[...this.#entries].map(
        ([step, entry]) =>
          () =>
            this.#leave(step, entry),
      ),
    );
  }

  #enter(step: string, key: string): Entry {
    const { running } = this.store.state;
    if (this.isFurther) this.#cleared = running.clear(this.runId);
    this.isFurther = false;
    const entered = mapMaybe(this.#cleared, () => running.begin(step, this.runId, key));
    const entry: Entry = { key, entered, running: 0, ok: undefined, leaving: undefined };
    this.#entries.set(step, entry);
    if (entered instanceof Promise) entered.catch(() => this.#forget(step, entry));
    return entry;
  }

  #forget(step: string, entry: Entry): void {
    if (this.#entries.get(step) === entry) this.#entries.delete(step);
  }

  /** A store that fails here fails no run: what a process that is gone left there counts for nothing. */
  #leave(step: string, entry: Entry): void | Promise<void> {
    clearTimeout(entry.leaving);
    this.#forget(step, entry);
    try {
      const left = this.store.state.running.end(step, this.runId, entry.key, entry.ok);
      return left instanceof Promise ? left.catch(() => {}) : left;
    } catch {
      return undefined;
    }
  }
}
