// The files that a worker drives a run with. Pins beside a run can be deleted, or restored to an older version, with
// write access to the database: the sealed parts, the request and the journal, say which pins count.
import { sourcesDigest } from "../../engine/visit/hash.ts";
import type { RunState } from "../../events/state/state.ts";
import { SCENARIO_PINS } from "../../hosts/fleet.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import { ChangedInDatabase } from "../../hosts/store-error.ts";
import type { FleetRequest, TravellingSources } from "./fleet-request.ts";

export type Sources = ReadonlyMap<string, string>;

interface Asked {
  readonly log: Pick<RunReader, "runId" | "pinned">;
  readonly request: FleetRequest;
  readonly isBegun: boolean;
}

/** Those that travelled with what was asked, until its drive has begun; from then on those that the journal speaks of. */
export async function sourcesThatCount({ log, request, isBegun }: Asked, state: RunState): Promise<Sources> {
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
