// The visits of a run's steps, from the one fold over its past: kept for as long as the run is, and folded on.
import { keptIn } from "../../errors/mapping.ts";
import type { RunEvent } from "../../events/registry.ts";
import { VisitFold } from "../../events/visits/visit-fold.ts";
import type { VisitRecord } from "../../events/visits/visit-record.ts";
import type { WatchedRun } from "./watched-run.ts";

interface Folded {
  readonly fold: VisitFold;
  position: number;
  reading: Promise<void>;
}

const folds = new WeakMap<WatchedRun, Folded>();

/** What scripts print and models say is no part of it, but for the time. */
const NOT_FOLDED: ReadonlySet<RunEvent["type"]> = new Set(["script_output", "agent_message", "agent_reasoning"]);

const nothingFolded = (): Folded => ({
  fold: new VisitFold({ history: true }),
  position: 0,
  reading: Promise.resolve(),
});

/** All visits as they are now, or as they were after an event. */
export async function visitFold(run: WatchedRun, at?: number): Promise<VisitFold> {
  if (at !== undefined && at < run.position) {
    const past = nothingFolded();
    await foldOn(run, past, at);
    return past.fold;
  }
  const now = keptIn(folds, run, nothingFolded);
  now.reading = now.reading.then(() => foldOn(run, now, run.position));
  await now.reading;
  return now.fold;
}

async function foldOn(run: WatchedRun, folded: Folded, until: number): Promise<void> {
  if (folded.position >= until) return;
  const { fold } = folded;
  let printed: RunEvent[] = [];
  for await (const stretch of run.stretches(folded.position, until, (event) => printed.push(event))) {
    const events = [...printed, ...stretch].sort((a, b) => a.seq - b.seq);
    printed = [];
    for (const event of events) {
      if (NOT_FOLDED.has(event.type)) fold.passed(event);
      else fold.add(event);
    }
  }
  folded.position = until;
}

/** The visits of one node, oldest first; of an item only where the node runs in items: elsewhere it says nothing. */
export function visitsAt(
  fold: VisitFold,
  path: readonly string[],
  node: string,
  item?: string,
): readonly VisitRecord[] {
  const all = [...fold.visits.values()].filter(
    (visit) =>
      visit.node === node &&
      visit.askedBy === undefined &&
      visit.path.length === path.length &&
      visit.path.every((slot, index) => slot === path[index]),
  );
  if (item === undefined || all.every(({ itemKey }) => itemKey === undefined)) return all;
  return all.filter(({ itemKey }) => itemKey === item);
}
