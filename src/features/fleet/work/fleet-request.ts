// The request of a drive as plain data, which goes to the worker that takes it, and which files the worker drives with.
// Pins beside a run can be changed by anyone who can write to the database, so the sealed parts say which of them
// count.

import type { RunState } from "../../../base/events/state/state.ts";
import { sourcesDigest } from "../../../engine/visit/hash.ts";
import type { Reopening } from "../../../services/reading/reopened.ts";
import type { GivenInput, Rerun, ResumeRequest, RunOrigin, RunRequest } from "../../../services/request.ts";
import { actingPerson, namesOfPeople, type PeopleBook } from "../../../services/session/people.ts";
import type { SplitInputs } from "../../../services/session/run-secrets.ts";
import type { RuntimeDefaults, Session } from "../../../services/session/session.ts";
import { type DriveLeaving, SCENARIO_PINS } from "../../../storage/fleet.ts";
import type { RunLog } from "../../../storage/run-log.ts";
import type { RunReader } from "../../../storage/run-reader.ts";
import { ChangedInDatabase } from "../../../storage/store-error.ts";

/** Files that travel with a drive: of which drive of the journal they are, and the digest of them all. */
interface TravellingSources {
  readonly drive: number;
  readonly digest: string;
}

interface Common {
  /** The files that count. What an older Segno placed does not say. */
  readonly sources?: TravellingSources | "as recorded";
  /** Absolute; where the request came from. */
  readonly cwd: string;
  readonly skipGates?: boolean;
  readonly maxIterations?: number;
  readonly maxVisits?: number;
  readonly provider?: string;
  /** What the project that it comes from says where neither the step nor the file does. */
  readonly defaults?: RuntimeDefaults;
  /** The people and groups of that project, by name only: `approvers` was held against them. */
  readonly people?: PeopleBook;
  /** The address of the page that it was started from, for links. */
  readonly page?: string;
}

/** Of the origin `startedBy` is not the user of the worker that takes it. */
export interface FirstDrive extends Common, RunOrigin {
  readonly kind: "first";
  readonly file: string;
  /** The file of the scenario that answers for the world: it travels with the run. */
  readonly scenario?: string;
  /** Of the scenario, whatever it says itself. */
  readonly strict?: boolean;
  readonly durability?: "process" | "power";
  /** As the journal has them, with the names of those that are secret. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly hidden_inputs?: readonly string[];
}

export interface FurtherDrive extends Common, Pick<ResumeRequest, "file" | "skipWaits">, Omit<Rerun, "failedItems"> {
  readonly kind: "further";
  readonly inputs: Readonly<Record<string, GivenInput>>;
  /** Who asked for it: not the user of the worker that takes it. */
  readonly by?: string;
  readonly answers?: boolean;
  readonly reopen?: { readonly places: readonly string[]; readonly others: readonly string[]; readonly alone?: true };
}

export type FleetRequest = FirstDrive | FurtherDrive;

const common = ({ cwd, skipGates, maxIterations, maxVisits, provider, defaults, people, page }: Common): Common => ({
  cwd,
  maxIterations,
  maxVisits,
  provider,
  defaults,
  page,
  skipGates: skipGates || undefined,
  people: people && namesOfPeople(people),
});

/** A drive that goes on as the one before was asked to. */
export const plainFurther = (asked: FleetRequest): FurtherDrive => ({
  kind: "further",
  sources: "as recorded",
  inputs: {},
  ...common(asked),
});

export const firstDrive = (
  session: Session,
  request: RunRequest,
  file: string,
  { journal, names }: Pick<SplitInputs, "journal" | "names">,
  sources: TravellingSources,
  scenario?: string,
): FirstDrive => ({
  kind: "first",
  sources,
  file,
  scenario,
  inputs: journal,
  hidden_inputs: names,
  ...common({ ...session, ...session.project, ...request }),
  strict: scenario === undefined ? undefined : request.strict,
  durability: request.durability,
  ...request.origin,
});

export function furtherDrive(
  session: Session,
  request: ResumeRequest & { readonly reopen?: Reopening; readonly answers?: boolean },
  file: string | undefined,
  sources: FurtherDrive["sources"] = "as recorded",
): FurtherDrive {
  const { inputs, answers, skipWaits, reopen, rerun: { from, force, changedFiles } = {} } = request;
  return {
    kind: "further",
    sources,
    inputs,
    file,
    from,
    by: actingPerson(session),
    ...common({ ...session, ...session.project, ...request }),
    answers: answers || undefined,
    force: force || undefined,
    changedFiles: changedFiles || undefined,
    skipWaits: skipWaits || undefined,
    reopen: reopen && { places: [...reopen.places], others: [...reopen.others], alone: reopen.alone },
  };
}

/** What a further drive was asked to reopen, as it is driven. */
export function askedReopening(request: FleetRequest): Reopening | undefined {
  const { places, others, alone } = (request.kind === "further" && request.reopen) || {};
  return places && { places: new Set(places), others: new Set(others), alone };
}

export type Sources = ReadonlyMap<string, string>;

/** A drive as a worker takes it from the queue. */
export interface PlacedRun {
  readonly log: RunLog;
  readonly request: FleetRequest;
  /** Another worker has begun it: what was asked is recorded already, and only the rest is left. */
  readonly isBegun: boolean;
  /** That worker left it in good order. */
  readonly left?: DriveLeaving;
}

/** Those that travelled with what was asked, until its drive has begun; from then on those that the journal speaks of. */
export async function sourcesThatCount(
  { log, request, isBegun }: Omit<PlacedRun, "log"> & { readonly log: Pick<RunReader, "runId" | "pinned"> },
  state: RunState,
): Promise<Sources> {
  const { sources } = request;
  if (isBegun || sources === "as recorded") return recordedSources(log, state);
  // Placed by an older Segno: whatever is newest.
  if (!sources) return state.drives === 0 ? log.pinned(1) : log.pinned();
  if (sources.drive !== state.drives + 1)
    throw new ChangedInDatabase(
      `What is asked of run ${log.runId} was asked of its drive ${sources.drive}, and the next is ${state.drives + 1}: an older request was put back in the database. It is not done.`,
      log.runId,
    );
  const isScripted = request.kind === "first" && request.scenario !== undefined;
  return requiredSources(log, sources, isScripted ? await log.pinned(SCENARIO_PINS) : new Map());
}

/** Those of the last drive that the journal has. */
export function recordedSources(
  run: Pick<RunReader, "runId" | "pinned">,
  { drives, definitionHash }: RunState,
): Promise<Sources> {
  return requiredSources(run, { drive: drives, digest: definitionHash });
}

/** Those of one drive, as they were when it began. `beside`: what was counted with them. */
export async function requiredSources(
  run: Pick<RunReader, "runId" | "pinned">,
  { drive, digest }: TravellingSources,
  beside: Sources = new Map(),
): Promise<Sources> {
  const pinned = await run.pinned(drive);
  if (sourcesDigest(new Map([...pinned, ...beside])) === digest) return pinned;
  throw new ChangedInDatabase(
    `The files of drive ${drive} of run ${run.runId} are not in the database as they were pinned: some were deleted or replaced there. To go on with the files that you have: segno resume ${run.runId}`,
    run.runId,
  );
}
