// What one render may cost. Rendering is synchronous, so the meter of the render that is under way lives in this
// module; that keeps it out of the signature of every value operation, and a nested render (from a loader) has its own.

import { fail, TemplateError } from "./error.ts";

export interface Limits {
  /** What everything costs: a round of a loop two steps, a call or an element one, text one per 32 characters. */
  readonly steps: number;
  /** Characters one render may produce. */
  readonly output: number;
  /** Characters one text value may have. */
  readonly text: number;
  /** Elements one list or range may have. */
  readonly items: number;
  /** Macros, recursive loops, includes and blocks inside one another. */
  readonly depth: number;
  /** Bits of an integer. */
  readonly bits: number;
}

export const DEFAULT_LIMITS: Limits = {
  steps: 2_000_000,
  output: 5_000_000,
  text: 5_000_000,
  items: 1_000_000,
  depth: 100,
  bits: 14_000,
};

let limits: Limits = DEFAULT_LIMITS;
let stepsLeft = DEFAULT_LIMITS.steps;
let depth = 0;

/** Runs `work` on a meter of its own and turns an exhausted stack into a limit. */
export function metered<T>(given: Partial<Limits> | undefined, work: () => T): T {
  const before = { limits, stepsLeft, depth };
  limits = given ? { ...DEFAULT_LIMITS, ...given } : DEFAULT_LIMITS;
  stepsLeft = limits.steps;
  depth = 0;
  try {
    return work();
  } catch (error) {
    throw exhausted(error);
  } finally {
    limits = before.limits;
    stepsLeft = before.stepsLeft;
    depth = before.depth;
  }
}

/** The engine's own RangeErrors are stack overflows and oversized texts: both are limits. */
function exhausted(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  return new TemplateError("limit", "The template is nested too deeply, or works on values that are too large.");
}

export function spend(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) {
    fail(
      "limit",
      `The template was stopped after ${limits.steps} steps. Loop over fewer items, or do the work in a step.`,
    );
  }
}

/** Call before a text of this length is made. */
export function spendText(length: number): void {
  if (!(length <= limits.text)) fail("limit", `A text of more than ${limits.text} characters was about to be made.`);
  spend(length >>> 5);
}

/** Call before a list of this length is made. */
export function spendItems(length: number): void {
  if (!(length <= limits.items))
    fail("limit", `A list or range of more than ${limits.items} items was about to be made.`);
  spend(length >>> 2);
}

export function checkOutput(length: number): void {
  if (length > limits.output) fail("limit", `The output is longer than ${limits.output} characters.`);
}

export const maxBits = (): number => limits.bits;

/** One level deeper: a macro, a recursive loop, an include, a block. */
export function nested<T>(work: () => T): T {
  spend(1);
  if (++depth > limits.depth) {
    depth--;
    fail("limit", `Macros, includes or recursive loops are more than ${limits.depth} levels deep.`);
  }
  try {
    return work();
  } finally {
    depth--;
  }
}
