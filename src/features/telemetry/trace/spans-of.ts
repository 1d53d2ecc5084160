// From a run's visits to spans: each drive, in it each visit of a step or group, in that each attempt. A drive is linked to
// the one it goes on from, and to what it reused: a reuse is no span of its own.
import { idempotencyKey } from "../../../base/events/idempotency-key.ts";
import { isContainer } from "../../../base/events/node-types.ts";
import type { VisitFold } from "../../../base/events/visits/visit-fold.ts";
import {
  type AttemptRecord,
  type DriveRecord,
  inDrive,
  lastIn,
  type MomentOfDrive,
  type VisitRecord,
} from "../../../base/events/visits/visit-record.ts";
import { LazyList } from "../../../base/json/pieces.ts";
import {
  aboutVisit,
  addUsage,
  attemptSpanId,
  driveSpanId,
  driveStatus,
  endOf,
  endOfVisit,
  eventsOf,
  failureNoted,
  type ListedSpanTree,
  newSpan,
  type Span,
  type SpanLink,
  type SpanTree,
  type Trace,
  traceIdOf,
  treeOf,
  visitSpanId,
} from "./span.ts";

type Folded = Pick<VisitFold, "drives">;

export const traceOf = (runId: string, fold: Folded): Trace => ({
  trace_id: traceIdOf(runId),
  spans: fold.drives.flatMap((drive) => driveSpans(runId, drive, fold)),
});

/** The same as trees, one for each drive, whose branches are made as they are read. */
export const treesOf = (runId: string, fold: Folded): readonly ListedSpanTree[] =>
  fold.drives.map((drive) =>
    treeOf(driveSpan(runId, drive, fold.drives[0] ?? drive), new LazyList(() => branchesOf(runId, drive))),
  );

function* branchesOf(runId: string, drive: DriveRecord): Iterable<SpanTree> {
  const { number, visits } = drive;
  const ends = new OpenEnds(drive);
  /** Where each visit begins that is in no other. */
  const seqs: number[] = [];
  const below = new Map<string, VisitRecord[]>();
  for (const visit of visits) {
    ends.add(visit);
    const parent = parentIn(visit, number);
    if (!parent) seqs.push(firstOf(inDrive(visit.attempts, number))?.seq ?? 0);
    else if (!below.get(parent.key)?.push(visit)) below.set(parent.key, [visit]);
  }
  const grow = (visit: VisitRecord): readonly (Pick<Placed, "seq"> & { readonly tree: SpanTree })[] => {
    const [own, ...attempts] = visitSpans(runId, visit, number, ends);
    if (!own) return [];
    const branches = [
      ...attempts.map(({ seq, span }) => ({ seq, tree: treeOf(span, []) })),
      ...(below.get(visit.key) ?? []).flatMap(grow),
    ];
    const children = branches.sort((a, b) => a.seq - b.seq).map(({ tree }) => tree);
    return [{ seq: own.seq, tree: treeOf(own.span, children) }];
  };
  // They stand as they were come to, which is as they began but for those that were reused first.
  const inOrder = seqs.every((seq, at) => at === 0 || seq >= (seqs[at - 1] ?? 0));
  const grown = (function* () {
    for (const visit of visits) if (!parentIn(visit, number)) yield* grow(visit);
  })();
  for (const { tree } of inOrder ? grown : [...grown].sort((a, b) => a.seq - b.seq)) yield tree;
}

/** The visit that it is in, if that ran in the same drive. */
const parentIn = ({ history }: VisitRecord, drive: number): VisitRecord | undefined =>
  history?.parent && ranIn(history.parent, drive) ? history.parent : undefined;

const firstOf = (attempts: readonly AttemptRecord[]): MomentOfDrive | undefined =>
  attempts.map(beginning).sort((a, b) => a.seq - b.seq)[0];

/** The span of a drive, and those of all that ran in it, in the order in which they began. */
export function driveSpans(runId: string, drive: DriveRecord, { drives }: Folded): readonly Span[] {
  const ends = new OpenEnds(drive);
  for (const visit of drive.visits) ends.add(visit);
  const placed = [...drive.visits].flatMap((visit) => visitSpans(runId, visit, drive.number, ends));
  const spans = placed.sort((a, b) => a.seq - b.seq).map(({ span }) => span);
  return [driveSpan(runId, drive, drives[0] ?? drive), ...spans];
}

function driveSpan(runId: string, drive: DriveRecord, first: DriveRecord): Span {
  const { number, began, lastAt, visits } = drive;
  const { name, file } = first.began.type === "workflow_started" ? first.began.data : { name: "", file: "" };
  const about = { "segno.run_id": runId, "segno.workflow": name, "segno.file": file, "segno.drive": number };
  return newSpan(
    { id: driveSpanId(runId, number), parent: null, name: `workflow ${name}`, start: began.ts, end: lastAt },
    driveStatus(drive, about),
    [],
    [
      ...(began.type === "run_resumed" ? [goesOnFrom(runId, number - 1, began.data.after)] : []),
      ...linksIn(runId, number, visits),
    ],
  );
}

const goesOnFrom = (runId: string, drive: number, after: string): SpanLink => ({
  trace_id: traceIdOf(runId),
  span_id: driveSpanId(runId, drive),
  attributes: { "segno.link": "resumed", "segno.after": after },
});

function* linksIn(runId: string, drive: number, visits: Iterable<VisitRecord>): Iterable<SpanLink> {
  for (const visit of visits) yield* reuseLinks(runId, visit, drive);
}

/** To the span in which it was done: in an earlier drive, or in another run, of which only the run is known. */
function reuseLinks(runId: string, visit: VisitRecord, drive: number): readonly SpanLink[] {
  const done = visit.attempts.findLast((attempt) => attempt.drive < drive)?.drive;
  return inDrive(visit.history?.reuses ?? [], drive).flatMap(({ fromRun }) => {
    const attributes = { "segno.link": "reused", "segno.node": visit.node };
    if (fromRun !== undefined) return { trace_id: traceIdOf(fromRun), span_id: driveSpanId(fromRun, 1), attributes };
    if (done === undefined) return [];
    return { trace_id: traceIdOf(runId), span_id: visitSpanId(runId, visit.key, done), attributes };
  });
}

interface Placed {
  readonly seq: number;
  readonly span: Span;
}

/** When visits end whose end is not recorded: a step with its drive, a container with the last of what is in it. */
class OpenEnds {
  readonly #ends = new Map<string, string>();

  constructor(private readonly drive: Pick<DriveRecord, "number" | "lastAt">) {}

  add(visit: VisitRecord): void {
    const { number, lastAt } = this.drive;
    const attempt = lastIn(visit.attempts, number);
    if (!attempt || (!attempt.ended && isContainer(attempt.type))) return;
    if (!attempt.ended) this.#ends.set(visit.key, lastAt);
    const at = attempt.ended?.at ?? lastAt;
    for (let above = parentIn(visit, number); above; above = parentIn(above, number))
      if (at > (this.of(above) ?? "")) this.#ends.set(above.key, at);
  }

  of({ key }: Pick<VisitRecord, "key">): string | undefined {
    return this.#ends.get(key);
  }
}

/** The span of a visit in one drive, and those of its attempts there; none when it was only reused. */
export function visitSpans(runId: string, visit: VisitRecord, drive: number, ends?: OpenEnds): readonly Placed[] {
  const { key, node, group, itemKey } = visit;
  const attempts = inDrive(visit.attempts, drive);
  const first = firstOf(attempts);
  if (!first) return [];
  const type = attempts[0]?.type ?? visit.type;
  const name = itemKey === undefined ? node : `${group ?? node}[${itemKey}]`;
  const id = visitSpanId(runId, key, drive);
  const above = parentIn(visit, drive);
  const parent = above ? visitSpanId(runId, above.key, drive) : driveSpanId(runId, drive);
  const openEnd = attempts.at(-1)?.ended ? undefined : ends?.of(visit);
  const end = openEnd ?? attempts.findLast(({ ended }) => ended)?.ended?.at ?? first.at;
  const span = newSpan(
    { id, parent, name, start: first.at, end },
    endOfVisit(visit, attempts, drive, aboutVisit(visit, type)),
    eventsOf(visit, drive, isContainer(type)),
    [],
  );
  const below = isContainer(type) ? [] : attempts;
  return [
    { seq: first.seq, span },
    ...below.map((attempt) => attemptSpan(runId, visit, attempt, { id, name, type, openEnd })),
  ];
}

const ranIn = (visit: VisitRecord, drive: number): boolean => visit.attempts.some((attempt) => attempt.drive === drive);

function attemptSpan(
  runId: string,
  visit: VisitRecord,
  attempt: AttemptRecord,
  above: { readonly id: string; readonly name: string; readonly type: string; readonly openEnd: string | undefined },
): Placed {
  const { number, drive, ended } = attempt;
  const { seq, at } = beginning(attempt);
  const before = visit.attempts.slice(0, visit.attempts.indexOf(attempt));
  const ordinal = before.filter((one) => one.ended).length + 1;
  const id = attemptSpanId(idempotencyKey(runId, visit.key, ordinal), drive);
  const attributes = aboutVisit(visit, above.type);
  addUsage(attempt, attributes);
  attributes["segno.attempt"] = number;
  attributes["segno.drive"] = drive;
  const span = newSpan(
    { id, parent: above.id, name: `${above.name} attempt ${number}`, start: at, end: ended?.at ?? above.openEnd ?? at },
    endOf([attempt], attributes),
    failureNoted(attempt),
    [],
  );
  return { seq, span };
}

const NEVER: MomentOfDrive = { drive: 0, seq: 0, at: "" };
const beginning = ({ began, ended }: AttemptRecord): MomentOfDrive => began ?? ended ?? NEVER;
