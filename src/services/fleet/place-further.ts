// A further drive of a run on a fleet: everything that can be refused is refused here, before anything is placed.
import { sourcesDigest } from "../../engine/visit/hash.ts";
import type { Fleet } from "../../hosts/fleet.ts";
import type { RunStore } from "../../hosts/store.ts";
import { StoreError } from "../../hosts/store-error.ts";
import { familySources } from "../../language/loaded.ts";
import type { Result } from "../../results/result.ts";
import type { History } from "../drive/read-history.ts";
import { type RecordedRequest, recorded } from "../drive/recorded.ts";
import { DRIVEN, refusal } from "../refusals.ts";
import type { DriveListeners, ResumeRequest } from "../request.ts";
import { redactorFor } from "../runs/read-run.ts";
import { resultOfRun, withOwnName } from "../runs/report.ts";
import { childTakesSecrets } from "../secrets/secret-inputs.ts";
import { filesOfRun } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";
import { furtherDrive } from "./fleet-request.ts";
import { followOnFleet } from "./follow.ts";
import { placedResult } from "./queued-run.ts";
import { recordedSources, type Sources } from "./sources-that-count.ts";

export interface Further {
  readonly runId: string;
  readonly before: History;
  readonly session: Session;
  readonly request: ResumeRequest & RecordedRequest;
}

export async function placeFurther(
  store: RunStore,
  fleet: Fleet,
  { runId, before, session, request }: Further,
  listeners: DriveListeners,
): Promise<Result> {
  const setup = await reading(store, runId, async (reader) => {
    // Files that are gone here are as they were, if the database still has them so.
    const pinned = await recordedSources(reader, before.state).catch(orNone);
    const files = filesOfRun(pinned, session.env, session.extensions?.defined);
    return recorded(reader, session, { ...request, files }, { before });
  });
  try {
    const { workflow, redactor, split } = setup;
    const about = { ...session, folder: fleet.filesOf(runId).folder, redactor, workflow };
    const drive = before.state.drives + 1;
    const sources = familySources(workflow);
    const isPlaced = await fleet.place(runId, {
      request: furtherDrive(session, request, workflow.file, { drive, digest: sourcesDigest(sources) }),
      pins: { drive, sources },
      holdsSecrets: Object.keys(split.secrets).length > 0 || childTakesSecrets(workflow),
      ...(listeners.detach && request.reopen ? { retries: [...request.reopen.places] } : {}),
    });
    if (!isPlaced) throw underway(runId);
    if (listeners.detach) return placedResult(resultOfRun(before.state, about));
    const { seq: after } = before.state;
    return await followOnFleet(store, { session, fleet, runId, redactor, workflow, after }, listeners);
  } finally {
    await setup.close();
  }
}

/** A run that was called off before a worker took it: it begins as it was asked to, for which it has all that it needs. */
export async function placeFirstAgain(
  store: RunStore,
  fleet: Fleet,
  { runId, before, session }: Further,
  listeners: DriveListeners,
): Promise<Result> {
  if (!(await fleet.placeAgain(runId))) throw underway(runId);
  const { seq: after } = before.state;
  return reading(store, runId, async (reader) => {
    const redactor = await redactorFor(reader, session);
    if (!listeners.detach) return followOnFleet(store, { session, fleet, runId, redactor, after }, listeners);
    const result = resultOfRun(before.state, { ...session, folder: fleet.filesOf(runId).folder, redactor });
    return placedResult(withOwnName(result, reader.meta, session));
  });
}

function orNone(problem: unknown): Sources {
  if (problem instanceof StoreError && problem.code === "corrupt") return new Map();
  throw problem;
}

/** Refuses while a worker drives the run, or will. */
export async function requireAtRest(fleet: Fleet, runId: string): Promise<void> {
  const standing = await fleet.standing(runId);
  if (standing && !standing.isEnded) throw underway(runId);
}

const underway = (runId: string) =>
  refusal(`the run ${runId} is underway: a worker drives it, or will`, { runId, errorType: DRIVEN });
