// Triggers that start each other in a circle: a run's end starts a run whose end starts the first one again.
import type { Trigger } from "../../triggers/schema.ts";

/** A trigger with the name of the workflow that it starts. */
export interface StartingTrigger extends Pick<Trigger, "name" | "on_run"> {
  readonly starts: string;
}

/** The triggers that lead from one back to itself, by name and the shortest way; nothing where no way does. */
export function circleOf(
  trigger: StartingTrigger,
  all: readonly StartingTrigger[],
): readonly [string, ...string[]] | undefined {
  const ways: (readonly [StartingTrigger, readonly [string, ...string[]]])[] = [[trigger, [trigger.name]]];
  const seen = new Set<string>();
  for (const [{ starts }, way] of ways) {
    if (starts === trigger.on_run?.workflow) return way;
    if (seen.has(starts)) continue;
    seen.add(starts);
    for (const next of all) if (next.on_run?.workflow === starts) ways.push([next, [...way, next.name]]);
  }
  return undefined;
}
