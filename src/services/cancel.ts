// `segno cancel`: asks the process that drives a run to stop, or closes a run that nobody drives.
import { hostname } from "node:os";
import { remember } from "../events/recall.ts";
import { realClock } from "../hosts/clock.ts";
import type { RunStore, StoredRun } from "../hosts/store.ts";
import type { Result } from "../results/result.ts";
import { answering } from "./answering.ts";
import { catchUp } from "./drive/catch-up.ts";
import { openPort } from "./drive/port.ts";
import { redactorFor, stateOf } from "./read-run.ts";
import { refusal } from "./refusals.ts";
import { resultOfRun } from "./report.ts";
import { requestStop, takeStopRequest } from "./stop-request.ts";
import { namedRun, type RunNamed, reading, withStore } from "./store.ts";

const PATIENCE_MS = 10_000;
const POLL_MS = 100;

export const cancelRun = (request: RunNamed & { readonly run: string }): Promise<Result> =>
  answering(request, () =>
    withStore(request, async (store) => {
      const runId = await namedRun(store, request);
      const summary = await store.summary(runId);
      if (summary?.status === "running" && !summary.crashed && summary.driver)
        await stopDriver(store, runId, summary.driver);
      else await close(store, runId, request);
      return reading(store, runId, async (reader) =>
        resultOfRun(await stateOf(reader), {
          ...request,
          folder: reader.folder,
          redactor: await redactorFor(reader, request),
        }),
      );
    }),
  );

async function stopDriver(store: RunStore, runId: string, driver: NonNullable<StoredRun["driver"]>): Promise<void> {
  if (driver.host !== hostname())
    throw refusal(`the run ${runId} is driven on ${driver.host}; cancel it there`, { runId });
  if (driver.pid === process.pid)
    throw refusal(`the run ${runId} is driven by this very process; stop it there`, { runId });
  const folder = await reading(store, runId, (reader) => reader.folder);
  requestStop(folder);
  process.kill(driver.pid, "SIGINT");
  for (
    const until = Date.now() + PATIENCE_MS;
    Date.now() < until;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  ) {
    const now = await store.summary(runId);
    if (now?.status !== "running") break;
  }
  takeStopRequest(folder);
}

/** One more event, recorded and exported as a drive does it; the file need not even be valid. */
async function close(store: RunStore, runId: string, request: RunNamed): Promise<void> {
  const ended = await reading(store, runId, async (reader) => whyEnded(runId, (await stateOf(reader)).status));
  if (ended) throw refusal(ended, { runId });
  const run = await store.openRun(runId);
  try {
    const state = await stateOf(run);
    // What a crash kept from the exported files comes before what is added to them.
    await catchUp(run, request);
    const { port } = openPort({
      log: run,
      state,
      redactor: await redactorFor(run, request),
      workflow: run.meta.workflow,
      clock: realClock,
      recall: remember([]),
    });
    await run.takeUp();
    port.note([], "run_cancelled", { reason: "cancelled", agent_name: state.failure?.node ?? null });
    await port.end();
    await run.setStatus("cancelled", { exitCode: 130, resumable: true });
    await store.state.gates.withdraw(runId);
  } finally {
    await run.release();
  }
}

/** There is nothing to stop, and the run's result stays what it was. */
function whyEnded(runId: string, status: string): string | undefined {
  if (status === "paused" || status === "running") return undefined;
  return status === "failed"
    ? `the run ${runId} has failed already; there is nothing to stop`
    : `the run ${runId} is ${status} already`;
}
