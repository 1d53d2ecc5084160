// What one drive of a run did, read from the fold of visits: what ran in it, what raised, how it ended.
import { nodePath } from "../../base/events/key.ts";
import { isContainer } from "../../base/events/node-types.ts";
import type { EventData } from "../../base/events/registry.ts";
import { LEFT_RUNNING, type RunEndEvent, statusAfter } from "../../base/events/run-end.ts";
import { type Driven, wasCutOff } from "../../base/events/visits/verdicts.ts";
import { type DriveRecord, inDrive, lastIn, type VisitRecord } from "../../base/events/visits/visit-record.ts";
import type { ChapterEnd, Note, VisitStatus } from "./story.ts";
import { earlierOf, type Now, whyAgain } from "./visit-changes.ts";
import { type VisitInDrive, visitInDrive } from "./visit-in-drive.ts";

export interface DriveStory {
  readonly drive: number;
  readonly beganAt: string;
  readonly resumed: EventData<"run_resumed"> | undefined;
  readonly idleMs: number | null;
  /** What ran in the root's file, in order; read anew each time, since of a long run they are many. */
  readonly visits: Iterable<VisitInDrive>;
  /** Visits that raised, in the order of their first error. */
  readonly troubled: readonly VisitInDrive[];
  readonly notes: readonly Note[];
  readonly end: ChapterEnd | null;
  readonly lookup: (path: Path, node: string) => VisitInDrive | undefined;
}

type Path = readonly string[];

/** The variables that a step names, if it reads the same in the present drive as it did in that one. */
export type EnvironmentOf = (path: Path, node: string, before: number, now: number) => readonly string[] | undefined;

export interface StoryContext extends Driven {
  readonly notes: readonly Note[];
  readonly environmentOf: EnvironmentOf;
  /** In a rehearsal: the definitions of steps that would run, by key. */
  readonly wouldRun: ReadonlyMap<string, string>;
}

export function driveStory(record: DriveRecord, context: StoryContext): DriveStory {
  const { number, began, end } = record;
  const before = context.drives[number - 2];
  const read = visitReader(record, context);
  let found: ReturnType<typeof lookThrough> | undefined;
  const lookedThrough = () => {
    found ??= lookThrough(record, read);
    return found;
  };
  return {
    drive: number,
    beganAt: began.ts,
    resumed: resumedOf(record),
    idleMs: before ? Math.max(0, Date.parse(began.ts) - Date.parse(before.lastAt)) : null,
    visits: {
      *[Symbol.iterator]() {
        for (const visit of record.visits) if (isOfRoot(visit)) yield read(visit);
      },
    },
    get troubled() {
      return lookedThrough().troubled;
    },
    notes: context.notes,
    end: end ? { status: statusAfter(end), at: end.ts, message: messageOf(end) } : null,
    lookup: (path, node) => lookedThrough().latest.get(nodePath(path, node)),
  };
}

const isOfRoot = ({ path, group }: VisitRecord): boolean => path.length === 0 && group === undefined;

function lookThrough({ number, visits }: DriveRecord, read: (visit: VisitRecord) => VisitInDrive) {
  const latest = new Map<string, VisitInDrive>();
  const troubled: { readonly seq: number; readonly visit: VisitInDrive }[] = [];
  for (const record of visits) {
    const visit = read(record);
    latest.set(nodePath(visit.path, visit.node), visit);
    if (visit.errors.length > 0) troubled.push({ seq: firstError(record, number), visit });
  }
  return { latest, troubled: troubled.sort((a, b) => a.seq - b.seq).map(({ visit }) => visit) };
}

const resumedOf = ({ began }: DriveRecord) => (began.type === "run_resumed" ? began.data : undefined);

function visitReader(record: DriveRecord, context: StoryContext): (visit: VisitRecord) => VisitInDrive {
  const { number: drive } = record;
  const left = leftRunning(context, drive);
  const cutOffAt = wasCutOff(context, drive) ? record.lastAt : undefined;
  const found = new Map<VisitRecord, VisitInDrive>();
  const read = (visit: VisitRecord): VisitInDrive => {
    const known = found.get(visit);
    if (known) return known;
    const inner = lastIn(visit.history?.children ?? [], drive)?.visits.map(read);
    const why = whyIn(visit, record, context);
    const made = visitInDrive(visit, { drive, driven: context, left, cutOffAt, why, inner });
    // Those inside others are read again with them.
    if (!isOfRoot(visit)) found.set(visit, made);
    return made;
  };
  return read;
}

function leftRunning(context: StoryContext, drive: number): VisitStatus {
  const end = context.drives[drive - 1]?.end;
  if (end) return LEFT_RUNNING[statusAfter(end)];
  return wasCutOff(context, drive) ? "cut_off" : "running";
}

/** Why a visit ran, although an earlier drive had been there: known once its first attempt of this drive has ended. */
function whyIn(visit: VisitRecord, record: DriveRecord, context: StoryContext): string | undefined {
  const now = nowOf(visit, record, context);
  if (!now) return undefined;
  const { number } = record;
  const earlier = earlierOf(visit, number, (drive) => leftRunning(context, drive));
  return whyAgain(earlier, now, resumedOf(record) ?? {}, () =>
    earlier?.drive === undefined ? undefined : context.environmentOf(visit.path, visit.node, earlier.drive, number),
  );
}

function nowOf(visit: VisitRecord, record: DriveRecord, { drives, wouldRun }: StoryContext): Now | undefined {
  const holds = isContainer(visit.type);
  const first = inDrive(visit.attempts, record.number).find(({ end }) => end === "ok" || end === "failed");
  if (first) {
    if (!resumedOf(record) || first.ending?.type === "agent_cancelled") return undefined;
    return { hash: first.ending?.data.hash, definition: first.definition, isContainer: holds };
  }
  const definition = record.number === drives.length ? wouldRun.get(visit.key) : undefined;
  return definition === undefined ? undefined : { definition, isContainer: holds };
}

const firstError = ({ history }: VisitRecord, drive: number): number =>
  history?.errors.find((error) => error.drive === drive)?.seq ?? 0;

function messageOf(end: RunEndEvent): string | null {
  switch (end.type) {
    case "workflow_completed":
      return end.data.termination_reason ?? null;
    case "workflow_failed":
      return end.data.message;
    case "run_paused":
    case "run_cancelled":
      return end.data.reason;
    default:
      return end satisfies never;
  }
}
