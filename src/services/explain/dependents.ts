// Finds the steps that read what would run again: over any number of steps, up and down through sub-workflows.

import { keptIn } from "../../base/errors/mapping.ts";
import { callerOfSlot } from "../../base/events/key.ts";
import { gatherFacts } from "../../language/analysis/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { childAt } from "../reading/report.ts";
import type { DriveStory } from "./drive-story.ts";
import type { VisitInDrive } from "./visit-in-drive.ts";

export type TypedSpot = Pick<VisitInDrive, "path" | "node" | "type">;
type Spot = Omit<TypedSpot, "type">;

/**
 * Steps that completed before, or would be reused if all comes out as it did, and read, in a template, what would run
 * again.
 */
export function dependents(
  root: LoadedWorkflow,
  runs: readonly { readonly path: readonly string[]; readonly node_id: string }[],
  reused: Iterable<TypedSpot>,
  last: DriveStory | undefined,
): readonly TypedSpot[] {
  const candidates = new Map<string, TypedSpot>();
  const done = new Set<string>();
  for (const visit of last?.visits ?? []) {
    if (visit.status === "failed" || visit.status === "running") continue;
    done.add(visit.node);
    candidates.set(idOf(visit), visit);
  }
  for (const spot of reused) candidates.set(idOf(spot), spot);
  for (const { path, node_id } of runs) {
    candidates.delete(idOf({ path, node: node_id }));
    // What is entered again is shown by what is inside it.
    for (let depth = 0; depth < path.length; depth++) candidates.delete(idOf(callerOf(path.slice(0, depth + 1))));
  }
  const readersOf = readersIn(root);
  const found = new Set<TypedSpot>();
  const seen = new Set<string>();
  const queue = runs
    .filter(({ path, node_id }) => path.length > 0 || done.has(node_id))
    .map(({ path, node_id }): Spot => ({ path, node: node_id }));
  const touched = (spot: Spot): void => {
    if (seen.has(idOf(spot))) return;
    seen.add(idOf(spot));
    queue.push(spot);
  };
  for (let spot = queue.pop(); spot; spot = queue.pop()) {
    const { path } = spot;
    if (path.length > 0) touched(callerOf(path));
    for (const node of readersOf(spot)) {
      const isRead = (other: Spot): boolean => startsWith([...other.path, other.node], [...path, node]);
      for (const other of candidates.values()) if (!found.has(other) && isRead(other)) found.add(other);
      if (candidates.has(idOf({ path, node }))) touched({ path, node });
    }
  }
  return [...found];
}

/** A step, its items, and all that is in it. */
function startsWith(names: readonly string[], [...wanted]: readonly string[]): boolean {
  const last = wanted.length - 1;
  return wanted.every((name, index) => names[index] === name || (index === last && slotName(names[index]) === name));
}

const slotName = (slot = ""): string => callerOfSlot(slot);
const callerOf = (path: readonly string[]): Spot => ({ path: path.slice(0, -1), node: slotName(path.at(-1)) });
const idOf = ({ path, node }: Spot): string => [...path, node].join("/");

/** The nodes of a file that read a node of it, found once for each file. */
function readersIn(root: LoadedWorkflow): (spot: Spot) => Iterable<string> {
  const known = new Map<LoadedWorkflow, ReadonlyMap<string, Set<string>>>();
  return ({ path, node }) => {
    const workflow = childAt(root, path);
    return (workflow && keptIn(known, workflow, () => readersOfEach(workflow)).get(node)) ?? [];
  };
}

function readersOfEach(workflow: LoadedWorkflow): ReadonlyMap<string, Set<string>> {
  const readers = new Map<string, Set<string>>();
  for (const { site, path } of gatherFacts(workflow).reads.all) {
    const [name] = path;
    if (site.node === null || typeof name !== "string" || name === site.node) continue;
    keptIn(readers, name, () => new Set<string>()).add(site.node);
  }
  return readers;
}
