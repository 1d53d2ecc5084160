// Why a step ran although an earlier drive had been there: what was recorded then is held against what ran now.
import type { EventData } from "../../events/registry.ts";

export interface Earlier {
  readonly ended: "ok" | "failed" | "cut off" | "stopped";
  readonly hash?: string;
  readonly definition?: string;
  /** Which drive that was. */
  readonly drive?: number;
}

export interface Now {
  readonly hash?: string;
  readonly definition?: string;
  readonly isContainer: boolean;
}

/**
 * A clause that follows "because"; nothing for a step that had not run before. `named`: the variables that the step names, if
 * it reads the same as it did then: what differs is their values.
 */
export function whyAgain(
  earlier: Earlier | undefined,
  now: Now,
  { force, from, changed_files }: Pick<EventData<"run_resumed">, "force" | "from" | "changed_files">,
  named: () => readonly string[] | undefined = () => undefined,
): string | undefined {
  if (!earlier) return undefined;
  const changed = differs(earlier.definition, now.definition);
  const names = changed ? named() : undefined;
  const environment = names && `the environment that it names has changed (${names.join(", ")})`;
  const since = environment ?? (changed ? "has been changed since" : undefined);
  const also = since === undefined ? "" : `, and ${since}`;
  if (earlier.ended === "cut off") return `it was cut off${also}`;
  if (earlier.ended === "stopped") return `it was stopped before it was done${also}`;
  if (earlier.ended === "failed") return `it had failed${also}`;
  if (changed) return environment ?? "its definition has changed";
  if (force) return "everything was to run again";
  if (now.isContainer) return "something inside it runs again";
  // A rehearsal knows no hash: it would have reused what reads the same.
  if (earlier.hash !== now.hash) return "what it reads has changed";
  if (from !== undefined) return `everything from ${from} on runs again`;
  return changed_files ? "a file that it runs has changed" : "its outcome could not be reused";
}

const differs = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b;
