// `segno cancel`: asks the process that drives a run to stop, or closes a run that nobody drives.

import { hostname } from "node:os";
import { apply } from "../events/fold.ts";
import { remember } from "../events/recall.ts";
import { realClock } from "../hosts/clock.ts";
import { Drive } from "../hosts/embedded/drive.ts";
import type { Result } from "../results/result.ts";
import { storeOf } from "./home.ts";
import { refused, storeProblem } from "./refusals.ts";
import { resultOfRun } from "./report.ts";
import type { Surroundings } from "./request.ts";
import { redactorFor, stateOf, UnknownRun } from "./runs.ts";
import { requestStop, takeStopRequest } from "./stop-request.ts";

const PATIENCE_MS = 10_000;
const POLL_MS = 100;

export async function cancelRun(request: Surroundings & { readonly run: string }): Promise<Result> {
  const store = storeOf(request);
  try {
    const runId = store.findRun(request.run);
    if (!runId) return refused(new UnknownRun(request.run).message);
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
      const run = store.openRun(runId);
      const state = stateOf(run);
      try {
        if (state.status !== "paused" && state.status !== "failed" && state.status !== "running") {
          run.setStatus(state.status, { resumable: false });
          return refused(`the run ${runId} is ${state.status} already`, { runId });
        }
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
    return storeProblem(problem, undefined, request.cwd);
  } finally {
    store.close();
  }
}
