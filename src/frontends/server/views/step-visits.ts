// What the fold over a run's past says of a step: its visits, and what its templates read and saw.

import { keptIn } from "../../../base/errors/mapping.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import { VisitFold } from "../../../base/events/visits/visit-fold.ts";
import type { VisitRecord } from "../../../base/events/visits/visit-record.ts";
import { type Item, itemsOf } from "../../../engine/groups/items.ts";
import { gatherFacts } from "../../../language/analysis/index.ts";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
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

const MOST = 100;

interface Place {
  readonly path: readonly string[];
  readonly node: string;
  /** The event that began the attempt. */
  readonly seq: number;
  /** Of a step inside a for_each. */
  readonly group: string | undefined;
  readonly itemKey: string | undefined;
}

export async function usedValues(run: WatchedRun, fold: VisitFold, workflow: LoadedWorkflow, place: Place) {
  const base = workflow.pathOf(place.node);
  const reads = gatherFacts(workflow)
    .reads.all.filter(({ site }) => site.node === place.node && !site.afterwards && site.role !== "route")
    .slice(0, MOST);
  const roots = new Map<string, Promise<Found>>();
  const rootOf = (name: string): Promise<Found> => keptIn(roots, name, () => valueOfRoot(run, fold, name, place));
  const itemNamed = itemReader(workflow, place, rootOf);
  const seen = new Set<string>();
  const values = [];
  for (const { site, path, line, column } of reads) {
    const root = String(path[0]);
    const field = site.path.slice(base.length).join(".");
    const expression = path.reduce<string>(
      (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
      "",
    );
    const own = await itemNamed(root);
    // The error that led here, and an item whose source cannot be read once more, are in no event by name.
    if (!own && root !== "workflow" && workflow.pathOf(root).length === 0) continue;
    if (seen.has(`${field} ${expression}`)) continue;
    seen.add(`${field} ${expression}`);
    const found = within(own ?? (await rootOf(root)), path.slice(1));
    values.push({
      expression,
      field,
      line: workflow.positions.inside(site.path, line, column).line,
      ...(found ? { value: found.value } : {}),
      // Whether there was such a value when the step began.
      known: found !== undefined,
    });
  }
  return values;
}

type Found = { readonly value: unknown } | undefined;

/** What the loop's own names stood for: the item is found where its for_each had it from. */
function itemReader(
  workflow: LoadedWorkflow,
  { group: name, itemKey }: Place,
  rootOf: (name: string) => Promise<Found>,
): (name: string) => Promise<Found> {
  const group = workflow.definition.for_each.find((one) => one.name === name);
  if (!group || itemKey === undefined) return async () => undefined;
  const read = async (): Promise<readonly Item[]> => {
    const scope: Record<string, unknown> = {};
    for (const [name] of group.source.matchAll(/[A-Za-z_]\w*/g)) {
      const found = name === "workflow" || workflow.pathOf(name).length > 0 ? await rootOf(name) : undefined;
      if (found) scope[name] = found.value;
    }
    try {
      return itemsOf(group, { get: (name) => scope[name], names: () => Object.keys(scope) });
    } catch {
      return [];
    }
  };
  let items: Promise<readonly Item[]> | undefined;
  return async (name) => {
    if (name === "_key") return { value: itemKey };
    if (name !== group.as && name !== "_index") return undefined;
    items ??= read();
    const index = (await items).findIndex(({ key }) => key === itemKey);
    const found = (await items)[index];
    return found && { value: name === "_index" ? index : found.value };
  };
}

/** What a name stood for: `workflow` for its inputs, a step for its output. */
async function valueOfRoot(run: WatchedRun, fold: VisitFold, name: string, { path, seq }: Place): Promise<Found> {
  if (name === "workflow") return { value: { input: await inputsOf(run, fold, path, seq) } };
  const ended = visitsAt(fold, path, name)
    .flatMap(({ attempts }) => attempts.map((attempt) => attempt.ended?.seq ?? 0))
    .filter((at) => at > 0 && at < seq);
  if (ended.length === 0) return undefined;
  const event = await eventAt(run, Math.max(...ended));
  if ((event?.type !== "agent_completed" && event?.type !== "agent_failed") || !("output" in event.data))
    return undefined;
  const { output, changes } = event.data;
  const own = changes === undefined ? { output } : { output, changes };
  // A group is read by its `outputs` and `errors`, a step by its `output`.
  return { value: typeof output === "object" && output !== null ? { ...output, ...own } : own };
}

async function inputsOf(run: WatchedRun, fold: VisitFold, path: readonly string[], seq: number): Promise<unknown> {
  if (path.length === 0) return run.state.inputs;
  const slot = path.at(-1);
  const [caller] = [...fold.visits.values()]
    .flatMap(({ attempts }) => attempts)
    .filter(({ type, began }) => type === "workflow" && began !== undefined && began.seq < seq)
    .map(({ began }) => began?.seq ?? 0)
    .sort((a, b) => b - a);
  for await (const event of run.log(Math.max(0, (caller ?? 1) - 1), seq))
    if (event.type === "subworkflow_started" && event.data.slot === slot) return event.data.inputs;
  return {};
}

async function eventAt(run: WatchedRun, seq: number): Promise<RunEvent | undefined> {
  for await (const event of run.log(seq - 1, seq)) return event;
  return undefined;
}

function within(root: Found, path: readonly (string | number)[]): Found {
  if (!root) return undefined;
  let { value } = root;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return { value };
}
