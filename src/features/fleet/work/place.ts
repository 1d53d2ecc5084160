// A drive of a run on a fleet, placed for a worker and followed: the first, or a further one. Everything that can be refused is
// refused here, before anything is placed.

import { initialState } from "../../../base/events/state/fold.ts";
import type { Result } from "../../../base/results/result.ts";
import { sourcesDigest } from "../../../engine/visit/hash.ts";
import { familySources, type LoadedWorkflow } from "../../../language/loaded.ts";
import { factsOfNewRun, prepareRun } from "../../../services/drive/prepare.ts";
import type { History } from "../../../services/drive/read-history.ts";
import { type RecordedRequest, recorded } from "../../../services/drive/recorded.ts";
import type { DriveSetup } from "../../../services/drive/setup.ts";
import { requireLoadable } from "../../../services/project/with-definition.ts";
import { placedResult } from "../../../services/reading/queued-run.ts";
import { redactorFor } from "../../../services/reading/read-run.ts";
import { reportingIn, resultOfRun, withOwnName } from "../../../services/reading/report.ts";
import { DRIVEN, refusal } from "../../../services/refusals.ts";
import type { DriveListeners, ResumeRequest, RunRequest } from "../../../services/request.ts";
import { filesOfRun, shownPath } from "../../../services/session/files.ts";
import { childTakesSecrets } from "../../../services/session/run-secrets.ts";
import type { Session } from "../../../services/session/session.ts";
import { reading } from "../../../services/session/store.ts";
import type { CellWish, Fleet, QueueLane } from "../../../storage/fleet.ts";
import type { RunStore } from "../../../storage/store.ts";
import { StoreError } from "../../../storage/store-error.ts";
import { compile, TemplateError } from "../../../template/index.ts";
import { firstDrive, furtherDrive, recordedSources, type Sources } from "./fleet-request.ts";
import { followOnFleet } from "./follow.ts";

/** The run of a firing, which no process follows. */
export async function placeFired(
  store: RunStore,
  fleet: Fleet,
  session: Session,
  request: RunRequest & { readonly runId: string },
  checked?: LoadedWorkflow,
): Promise<Result> {
  const { runId } = request;
  const setup = await prepareRun(session, { ...request, checked });
  try {
    return await placeFresh(store, fleet, { runId, setup, request, isOfFiring: true }, { detach: true });
  } finally {
    await setup.close();
  }
}

/** Runs of one key stand in one line, whichever trigger made them; others in that of their workflow. */
const laneOf = ({ queue }: RunRequest, { definition: { workflow } }: LoadedWorkflow): QueueLane => ({
  key: queue?.key ?? workflow.name,
  priority: queue?.priority ?? workflow.runtime.priority ?? "normal",
});

/** What the file says of the inputs; runs of one key are together, since a limit counts within a cell. */
function cellOf({ queue, runId }: RunRequest, { workflow, inputs }: DriveSetup): CellWish {
  return { name: cellOfWorkflow(workflow, inputs), key: queue?.key, isKnownBefore: runId !== undefined };
}

export function cellOfWorkflow({ definition }: LoadedWorkflow, inputs: DriveSetup["inputs"]): string | undefined {
  const { cell } = definition.workflow.runtime;
  if (cell === undefined) return undefined;
  try {
    return (
      compile(cell)
        .render({ workflow: { input: inputs } })
        .trim() || undefined
    );
  } catch (problem) {
    if (!(problem instanceof TemplateError)) throw problem;
    throw refusal(`\`runtime.cell\` cannot be rendered: ${problem.message}. It sees \`workflow.input\` alone`);
  }
}

interface Placed {
  readonly runId: string;
  readonly setup: DriveSetup;
  readonly request: RunRequest;
  /** Its firing is in the store, claimed by this process. */
  readonly isOfFiring?: boolean;
}

export async function placeFresh(
  store: RunStore,
  fleet: Fleet,
  { runId, setup, request, isOfFiring = false }: Placed,
  listeners: DriveListeners,
): Promise<Result> {
  const { session, workflow, durability, split, redactor, scenario } = setup;
  requireLoadable(workflow);
  const name = redactor.text(workflow.definition.workflow.name);
  const sources = familySources(workflow);
  await fleet.begin(
    { runId, workflow: name, file: workflow.file, durability, ...factsOfNewRun(setup) },
    {
      request: firstDrive(
        session,
        {
          ...request,
          provider: setup.provider || request.provider,
          origin: { ...setup.origin, name: setup.runName },
          durability,
        },
        workflow.file,
        split,
        // A worker that knows nothing of scenarios finds other files than these, and refuses the run.
        { drive: 1, digest: sourcesDigest(new Map([...sources, ...(scenario?.texts ?? [])])) },
        scenario?.file,
      ),
      pins: { drive: 1, sources },
      scenario: scenario?.texts,
      secrets: split.secrets,
      holdsSecrets: childTakesSecrets(workflow),
      isOfFiring,
      lane: laneOf(request, workflow),
      cell: cellOf(request, setup),
    },
  );
  if (!listeners.detach)
    return followOnFleet(store, { session, fleet, runId, redactor, workflow, after: 0 }, listeners);
  const { folder } = fleet.filesOf(runId);
  const result = resultOfRun(initialState(runId), { ...reportingIn(session), folder, redactor, workflow });
  return placedResult({ ...result, workflow: name, file: shownPath(workflow.file, session.cwd) });
}

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
    const files = filesOfRun(pinned, session);
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
      retries: listeners.detach && request.reopen ? [...request.reopen.places] : undefined,
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
    const result = resultOfRun(before.state, {
      ...reportingIn(session),
      folder: fleet.filesOf(runId).folder,
      redactor,
    });
    return placedResult(withOwnName(result, reader.meta, session));
  });
}

function orNone(problem: unknown): Sources {
  if (problem instanceof StoreError && problem.code === "corrupt") return new Map();
  throw problem;
}

export async function requireAtRest(fleet: Fleet, runId: string): Promise<void> {
  const standing = await fleet.standing(runId);
  if (standing && !standing.isEnded) throw underway(runId);
}

const underway = (runId: string) =>
  refusal(`the run ${runId} is underway: a worker drives it, or will`, { runId, errorType: DRIVEN });
