// The second and the third part of a drive, after `prepareRun`, or `prepareAgain` for a further drive: `driveRun` brings
// a run that is open to its next end, `reportRun` makes the result, writes into the index how the run ended, and gives
// the lease back.
import { activeMs } from "../../events/state/read.ts";
import type { RunState } from "../../events/state/state.ts";
import { DriveLeft } from "../../hosts/idle-release.ts";
import type { RunLog } from "../../hosts/run-log.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Result } from "../../results/result.ts";
import type { DriveGuard } from "../governance/index.ts";
import { isGoverned } from "../governance/needed.ts";
import { storeTurns } from "../limits/call-turns.ts";
import type { DriveListeners } from "../request.ts";
import { resultOfRun } from "../runs/report.ts";
import { forgetSecretsOf } from "../secrets/forget-secrets.ts";
import type { DriveTelemetry } from "../telemetry/index.ts";
import { isMeasured } from "../telemetry/switch.ts";
import { interpretRun } from "./interpret-run.ts";
import type { DriveRequest, DriveSetup } from "./setup.ts";
import { hashingFor, storeAnswers, storeCache } from "./shared.ts";

export interface DriveEnd {
  readonly setup: DriveSetup;
  readonly request: DriveRequest;
  readonly listeners: DriveListeners;
  readonly store: RunStore;
  readonly run: RunLog;
  readonly telemetry: DriveTelemetry | undefined;
}

export async function driveRun(
  setup: DriveSetup,
  request: DriveRequest,
  store: RunStore,
  run: RunLog,
  listeners: DriveListeners = {},
): Promise<DriveEnd> {
  let governed: DriveGuard | undefined;
  const drive = async (): Promise<DriveEnd> => {
    governed = await governing(setup, store, run);
    const telemetry = await measuring(setup, store, run);
    const [measured, hearing] = telemetry?.listening(setup, listeners) ?? [setup, listeners];
    const ground = {
      log: run,
      hashing: hashingFor(store, run.runId, setup.session.env),
      answers: storeAnswers(store, run.runId),
      ...(setup.scripted ? {} : { cache: storeCache(store, run.runId), turns: storeTurns(store, run.runId) }),
      guard: governed?.guard,
    };
    await interpretRun(measured, request, ground, hearing);
    return { setup, request, listeners, store, run, telemetry };
  };
  try {
    // What guards the run has ended before another process can take it.
    return await drive().finally(() => governed?.close());
  } catch (problem) {
    await leave(problem, listeners, run);
    throw problem;
  }
}

export async function reportRun({ setup, request, listeners, store, run, telemetry }: DriveEnd): Promise<Result> {
  const { state } = setup;
  try {
    const reported = resultOfRun(state, { ...setup, ...setup.session, folder: run.folder });
    const result = telemetry ? await telemetry.end(reported) : reported;
    await request.beforeEnd?.(state, result);
    await recordEnd(store, run, state, result);
    // Pruning tries again: no run fails for it.
    await forgetSecretsOf(store, run, state, setup.redactor).catch(() => {});
    await run.release();
    return result;
  } catch (problem) {
    await leave(problem, listeners, run);
    throw problem;
  }
}

/** Released on purpose, by a process that may live on: the run is recorded as not driven, so that another can. */
async function leave(problem: unknown, { signal }: DriveListeners, run: RunLog): Promise<void> {
  try {
    if (problem instanceof DriveLeft && problem === signal?.reason) await run.setStatus("running");
  } finally {
    await run.release();
  }
}

export async function recordEnd(store: RunStore, run: RunLog, state: RunState, result: Result): Promise<void> {
  await run.setStatus(state.status, {
    workflow: state.root.name,
    failingKind: result.errors[0]?.kind ?? null,
    exitCode: result.exit_code ?? 1,
    durationMs: activeMs(state) ?? 0,
    costUsd: result.metrics?.total_cost_usd ?? null,
    resumable: result.checkpoint?.resumable ?? false,
  });
  if (state.status !== "paused" && !run.closesQuestions) await store.state.gates.withdraw(run.runId);
}

/** Also for a run that left letters behind and whose file has dropped `resilience` since: a success settles them. */
export async function governing(setup: DriveSetup, store: RunStore, run: RunLog): Promise<DriveGuard | undefined> {
  const { recall, workflow, scripted, session } = setup;
  const mayHaveLetters = recall.drives > 0 && scripted === undefined;
  const needed =
    isGoverned(workflow) ||
    (mayHaveLetters && (await store.state.letters.list({ runId: run.runId, limit: 1 })).length > 0);
  if (!needed) return undefined;
  const { guardOf } = await import("../governance/index.ts");
  return guardOf({ ...setup, run, fleet: session.fleet, ...(scripted ? {} : { store }) });
}

/** Rehearsals of a scenario are in no statistics. */
async function measuring(setup: DriveSetup, store: RunStore, run: RunLog): Promise<DriveTelemetry | undefined> {
  if (setup.scripted || !isMeasured(setup.session)) return undefined;
  const { telemetryOf } = await import("../telemetry/index.ts");
  return telemetryOf(setup, run, store);
}
