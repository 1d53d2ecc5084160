// Large texts that are let go of. V8 collects a small heap seldom: by its own measure a run that shelves hundreds of them
// holds as much memory as one that keeps them all. So it is asked to collect once there may be much to collect, in a process
// that is small enough for that to take some 20 ms.
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Characters of texts. */
const MUCH = 48 * 1024 * 1024;
/** To collect a larger heap takes long; the program that has one has set its limits itself. */
const SMALL_HEAP = 384 * 1024 * 1024;

let found: (() => void) | undefined;

/** V8's own, which scripts see only where it is exposed: to this one it is, for the moment that it takes. */
function collector(): () => void {
  if (found) return found;
  setFlagsFromString("--expose-gc");
  const exposed: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  found = typeof exposed === "function" ? () => exposed() : () => {};
  return found;
}

export class LargeGarbage {
  #characters = 0;

  /** A text of that length is not needed any more, or will soon not be. */
  add(length: number): void {
    this.#characters += length;
    if (this.#characters < MUCH) return;
    this.#characters = 0;
    if (getHeapStatistics().used_heap_size < SMALL_HEAP) collector()();
  }
}
