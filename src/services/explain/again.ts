// Why a step ran although an earlier drive had been there: what was recorded then is held against what ran now.

export interface Earlier {
  readonly ended: "ok" | "failed" | "cut off";
  readonly hash?: string;
  readonly definition?: string;
}

export interface Now {
  readonly hash?: string;
  readonly definition?: string;
  readonly isContainer: boolean;
}

export interface Manner {
  readonly force?: boolean;
  readonly from?: string;
}

/** A clause that follows "because"; nothing for a step that had not run before. */
export function whyAgain(earlier: Earlier | undefined, now: Now, { force, from }: Manner): string | undefined {
  if (!earlier) return undefined;
  const changed = differs(earlier.definition, now.definition);
  if (earlier.ended === "cut off") return changed ? "it was cut off, and has been changed since" : "it was cut off";
  if (earlier.ended === "failed") return changed ? "it had failed, and has been changed since" : "it had failed";
  if (changed) return "its definition has changed";
  if (force) return "--force reuses nothing";
  if (now.isContainer) return "something inside it runs again";
  // A rehearsal knows no hash: it would have reused what reads the same.
  if (earlier.hash !== now.hash) return "what it reads has changed";
  if (from !== undefined) return `everything from ${from} on runs again`;
  return "its outcome could not be reused";
}

const differs = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b;
