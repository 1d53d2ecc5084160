// `segno cancel`: asks the process that drives a run to stop, or closes a run that nobody drives.

import { hostname } from "node:os";
import { apply } from "../events/fold.ts";
import { remember } from "../events/recall.ts";
import { realClock } from "../hosts/clock.ts";
import { Drive } from "../hosts/embedded/drive.ts";
import type { Store } from "../hosts/embedded/store.ts";
import type { Result } from "../results/result.ts";
import { storeOf } from "./home.ts";
import { noSuchRun, refused, storeProblem } from "./refusals.ts";
import { resultOfRun } from "./report.ts";
import type { Surroundings } from "./request.ts";
import { redactorFor, stateOf } from "./runs.ts";
import { requestStop, takeStopRequest } from "./stop-request.ts";

/** Of a run that has ended how it did: there is nothing to stop, and its result stays what it was. */
function endOf(store: Store, runId: string): string | undefined {
  const reader = store.readRun(runId);
  try {
    const { status } = stateOf(reader);
    if (status === "paused" || status === "running") return undefined;
    return status === "failed"
      ? `the run ${runId} has failed already; there is nothing to stop`
      : `the run ${runId} is ${status} already`;
  } finally {
    reader.close();
  }
}

const PATIENCE_MS = 10_000;
const POLL_MS = 100;

export async function cancelRun(request: Surroundings & { readonly run: string }): Promise<Result> {
  const store = storeOf(request);
  try {
    const runId = store.findRun(request.run);
    if (!runId) return refused(noSuchRun(request.run, request.reader));
    const summary = store.summary(runId);
    if (summary?.status === "running" && !summary.crashed && summary.driver) {
      if (summary.driver.host !== hostname())
        return refused(`the run ${runId} is driven on ${summary.driver.host}; cancel it there`, { runId });
      if (summary.driver.pid === process.pid)
        return refused(`the run ${runId} is driven by this very process; stop it there`, { runId });
      const reader = store.readRun(runId);
      const { folder } = reader;
      reader.close();
      requestStop(folder);
      process.kill(summary.driver.pid, "SIGINT");
      for (
        const until = Date.now() + PATIENCE_MS;
        Date.now() < until;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      ) {
        const now = store.summary(runId);
        if (now?.status !== "running") break;
      }
      takeStopRequest(folder);
    } else {
      const ended = endOf(store, runId);
      if (ended) return refused(ended, { runId });
      const run = store.openRun(runId);
      const state = stateOf(run);
      try {
        const drive = new Drive({
          log: run,
          clock: realClock,
          recall: remember([]),
          written(events) {
            for (const event of events) apply(state, event);
          },
        });
        drive.note([], "run_cancelled", { reason: "cancelled", agent_name: state.failure?.node ?? null });
        drive.end();
        run.setStatus("cancelled", { exitCode: 130, resumable: true });
        store.state.gates.withdraw(runId);
      } finally {
        run.release();
      }
    }
    const reader = store.readRun(runId);
    try {
      return resultOfRun(stateOf(reader), {
        ...request,
        folder: reader.folder,
        redactor: redactorFor(reader, request),
      });
    } finally {
      reader.close();
    }
  } catch (problem) {
    return storeProblem(problem, undefined, request);
  } finally {
    store.close();
  }
}
