// Whether the steps of a run are those that were wanted.
import type { TRACE_MODES } from "./eval-file.ts";

export type TraceMode = (typeof TRACE_MODES)[number];

/**
 * `strict`: these steps, in this order. `unordered`: these, in any order. `subsequence`: these in this order, with others
 * between them. `subset`: no others than these.
 */
export function isTraceLike(wanted: readonly string[], steps: readonly string[], mode: TraceMode): boolean {
  switch (mode) {
    case "strict":
      return isSame(wanted, steps);
    case "unordered":
      return isSame([...wanted].sort(), [...steps].sort());
    case "subsequence": {
      let next = 0;
      for (const step of steps) if (step === wanted[next]) next += 1;
      return next === wanted.length;
    }
    case "subset":
      return steps.every((step) => wanted.includes(step));
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);
