// `segno run`: checks the file and the inputs, makes a run, drives it to its first end.

import { resolve } from "node:path";
import type { Result } from "../../base/results/result.ts";
import { familySources } from "../../language/loaded.ts";
import { newRunId } from "../../storage/run-index.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunStore } from "../../storage/store.ts";
import { factsOfNewRun, prepareRun } from "../drive/prepare.ts";
import type { DriveSetup } from "../drive/setup.ts";
import { driveRun, reportRun } from "../drive/to-its-end.ts";
import { sessionOfRun } from "../project/people-of-run.ts";
import { asRefusalOf, refusal, withRefusals } from "../refusals.ts";
import type { DriveListeners, RunRequest } from "../request.ts";
import { withSnapshot } from "../session/files.ts";
import { saveSecretsOf } from "../session/run-secrets.ts";
import type { Session } from "../session/session.ts";
import { nowOf, withStore } from "../session/store.ts";

export const BEGUN = "Begun";

export const runWorkflow = (session: Session, request: RunRequest, listeners: DriveListeners = {}): Promise<Result> =>
  withRefusals(session, (own) => startRun(withSnapshot(own), request, listeners));

async function startRun(given: Session, request: RunRequest, listeners: DriveListeners): Promise<Result> {
  const file = resolve(given.cwd, request.file);
  const session = await sessionOfRun(given, file);
  const { runId = newRunId() } = request;
  const setup = await prepareRun(session, { ...request, runId }, listeners);
  try {
    return await withStore(session, async (store) => {
      const { fleet } = store;
      // A scenario plays in this process, unless it is to travel: no worker is needed.
      if (!fleet || (setup.scripted && !request.scenarioTravels)) {
        const run = await openFresh(store, runId, setup, request);
        return reportRun(await driveRun(setup, request, store, run, listeners));
      }
      const { placeFresh } = await import("../../features/fleet/work/place.ts");
      // Runs of a fleet are listed and kept by their ids: one clock for all.
      const placed = request.runId ?? newRunId(nowOf(store));
      return placeFresh(store, fleet, { runId: placed, setup, request }, listeners);
    });
  } catch (problem) {
    throw asRefusalOf(problem, setup.workflow, session);
  } finally {
    await setup.close();
  }
}

async function openFresh(store: RunStore, runId: string, setup: DriveSetup, request: RunRequest): Promise<RunLog> {
  const { workflow, durability, redactor } = setup;
  const facts = factsOfNewRun(setup);
  // The index of runs is no place for a secret.
  const name = redactor.text(workflow.definition.workflow.name);
  // A server that was killed while it made the run: nothing of it is there.
  if (request.runId !== undefined) await store.clearUnmade?.(runId);
  const isThere = request.runId !== undefined && (await store.findRun(runId)) === runId;
  // An earlier process stopped before it could begin: nothing of the run was done.
  const run = isThere
    ? await store.openRun(runId)
    : await store.createRun({ runId, workflow: name, file: workflow.file, durability, ...facts });
  if (run.lastSeq > 0) {
    await run.release();
    throw refusal(`the run ${runId} has begun already`, { runId, errorType: BEGUN });
  }
  // The process that made its folder may have been killed before the run was in the index.
  if (isThere) await run.takeUp();
  await run.pin(1, familySources(workflow));
  await saveSecretsOf(setup, run);
  return run;
}
