// Limits the open streams of each visitor: a stream costs a connection and a reader of every run in it.

import { TooMany } from "./problems.ts";
import type { Position } from "./stream.ts";

const MOST_STREAMS = 16;
const MOST_FOLLOWED = 100;

export class OpenStreams {
  readonly #open = new Map<string, number>();

  /** Gives what to call when the stream ends. Throws `TooMany`. */
  enter(whose: string): () => void {
    const count = this.#open.get(whose) ?? 0;
    if (count >= MOST_STREAMS)
      throw new TooMany(`you have ${MOST_STREAMS} streams open, and more are not kept; close some of the pages`);
    this.#open.set(whose, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(whose) ?? 1) - 1;
      if (left > 0) this.#open.set(whose, left);
      else this.#open.delete(whose);
    };
  }
}

/** Each run once, from the earliest place that was asked for. Throws `TooMany`. */
export function eachOnce(wanted: readonly Position[]): readonly Position[] {
  const runs = new Map<string, Position>();
  for (const one of wanted) {
    const known = runs.get(one.run);
    if (!known || one.seq < known.seq) runs.set(one.run, one);
  }
  if (runs.size > MOST_FOLLOWED) throw new TooMany(`one stream follows ${MOST_FOLLOWED} runs at most`);
  return [...runs.values()];
}
