// Tells the built program (bin/load-chunk.ts), by global symbols, what to keep compiled and when. Run from source, nothing
// reads them.

const USE = Symbol.for("segno.use");

/** What this process is for. The first call counts: each command keeps the functions that it needs. */
export function keepCodeFor(use: string): void {
  if (!Reflect.has(globalThis, USE)) Reflect.set(globalThis, USE, use);
}

/** When code is best kept: what a run needs is compiled, and V8 has not noted yet that any of it runs often. */
const VISITS_TO_KEEP_CODE = 4;
let visits = 0;

export function countVisit(): void {
  visits += 1;
  if (visits !== VISITS_TO_KEEP_CODE) return;
  const keep = Reflect.get(globalThis, Symbol.for("segno.keep-code")) as (() => void) | undefined;
  keep?.();
}
