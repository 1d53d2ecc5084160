// The newest events of a run as they may be shown, kept for those who follow it: at most so many bytes, shared by all.
import type { RunEvent } from "../../events/registry.ts";

export interface ShownEvent {
  /** The number of the recorded event that it came with: what a script had held back has an earlier one of its own. */
  readonly position: number;
  readonly event: RunEvent;
}

export class RunTail {
  readonly #most: number;
  readonly #kept: { readonly shown: ShownEvent; readonly bytes: number }[] = [];
  #bytes = 0;
  #first = 0;
  /** Every event after this number, up to the newest, is here. */
  from: number;

  constructor(from: number, mostBytes: number) {
    this.from = from;
    this.#most = mostBytes;
  }

  add(shown: ShownEvent): void {
    const bytes = sizeOf(shown.event);
    this.#kept.push({ shown, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#most && this.#first < this.#kept.length - 1) this.#drop();
    // What was dropped is let go of now and then.
    if (this.#first > 1000 && this.#first * 2 > this.#kept.length) {
      this.#kept.splice(0, this.#first);
      this.#first = 0;
    }
  }

  /** Of an event that so many come after that it would be dropped: what is here begins behind it. */
  pass(position: number): void {
    this.#kept.length = 0;
    this.#first = 0;
    this.#bytes = 0;
    this.from = position;
  }

  #drop(): void {
    const oldest = this.#kept[this.#first];
    if (!oldest) return;
    this.#first += 1;
    this.#bytes -= oldest.bytes;
    this.from = oldest.shown.position;
  }

  /** The events after a number, until so many bytes are together; nothing when some of them are not here any more. */
  after(position: number, mostBytes: number): readonly ShownEvent[] | undefined {
    if (position < this.from) return undefined;
    const found: ShownEvent[] = [];
    let bytes = 0;
    for (let index = this.#place(position); index < this.#kept.length; index++) {
      const kept = this.#kept[index];
      if (!kept) break;
      // What came with one recorded event stays together.
      if (bytes >= mostBytes && kept.shown.position !== found.at(-1)?.position) break;
      found.push(kept.shown);
      bytes += kept.bytes;
    }
    return found;
  }

  /** Of the first that comes after a number. */
  #place(position: number): number {
    let low = this.#first;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#kept[middle]?.shown.position ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

export const sizeOf = (event: RunEvent): number => JSON.stringify(event).length + 1;
