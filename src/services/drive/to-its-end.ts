// The second and third part of a drive: `driveRun` brings a run that is open to its next end; `reportRun` makes the result,
// writes into the index how the run ended, and gives the lease back.
import { mapMaybe } from "../../base/awaitable.ts";
import { activeMs } from "../../base/events/state/read.ts";
import type { Result } from "../../base/results/result.ts";
import type { CachedOutcome, OutcomeCache } from "../../engine/outcome-cache.ts";
import type { Answer } from "../../engine/people/ask.ts";
import type { DriveTelemetry } from "../../features/telemetry/index.ts";
import { isMeasured } from "../../features/telemetry/switch.ts";
import type { AnswerBox } from "../../storage/asking.ts";
import { DriveLeft } from "../../storage/idle-release.ts";
import type { Arrivals } from "../../storage/open-questions.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunStore } from "../../storage/store.ts";
import { forgetSecretsOf } from "../reading/forget-secrets.ts";
import { reportingIn, resultOfRun } from "../reading/report.ts";
import { factsOfRun } from "../reading/run-facts.ts";
import type { DriveListeners } from "../request.ts";
import type { DriveGuard } from "../resilience/index.ts";
import { storeTurns } from "../resilience/limits/call-turns.ts";
import { isGoverned } from "../workflows/valid-workflow.ts";
import { type DriveGround, interpretRun } from "./interpret-run.ts";
import { hashingFor } from "./keyframe.ts";
import type { DriveRequest, DriveSetup } from "./setup.ts";

export async function driveRun(
  setup: DriveSetup,
  request: DriveRequest,
  store: RunStore,
  run: RunLog,
  listeners: DriveListeners = {},
) {
  let governed: DriveGuard | undefined;
  const drive = async () => {
    governed = await governing(setup, store, run);
    const telemetry = await measuring(setup, store, run);
    const [measured, hearing] = telemetry?.listening(setup, listeners) ?? [setup, listeners];
    await interpretRun(measured, request, groundOf(setup, store, run, governed), hearing);
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

/** What a drive shares with other runs through the store; that of a scenario shares neither outcomes nor limits. */
export function groundOf(
  setup: DriveSetup,
  store: RunStore,
  log: DriveGround["log"],
  governed?: DriveGuard,
): DriveGround {
  const { runId } = log;
  return {
    log,
    hashing: hashingFor(store, runId, setup.session.env),
    answers: storeAnswers(store, runId, isAnsweredElsewhere(setup) ? log : undefined),
    cache: setup.scripted ? undefined : storeCache(store, runId),
    turns: setup.scripted ? undefined : storeTurns(store, runId),
    guard: governed?.guard,
  };
}

export async function reportRun(end: Awaited<ReturnType<typeof driveRun>>): Promise<Result> {
  const { setup, request, listeners, store, run, telemetry } = end;
  const { state } = setup;
  try {
    const reported = resultOfRun(state, { ...reportingIn(setup.session), ...setup, folder: run.folder });
    const result = telemetry ? await telemetry.end(reported) : reported;
    await request.beforeEnd?.(state, result);
    await recordEnd(store, run, setup, result);
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

export async function recordEnd(
  store: RunStore,
  run: RunLog,
  { state, redactor }: Pick<DriveSetup, "state" | "redactor">,
  result: Result,
): Promise<void> {
  await run.setStatus(state.status, {
    workflow: redactor.text(state.root.name),
    failingKind: result.errors[0]?.kind ?? null,
    exitCode: result.exit_code ?? 1,
    durationMs: activeMs(state) ?? 0,
    costUsd: result.metrics?.total_cost_usd ?? null,
    resumable: result.checkpoint?.resumable ?? false,
    facts: factsOfRun(state, redactor),
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
  const { guardOf } = await import("../resilience/index.ts");
  return guardOf({ ...setup, run, fleet: session.fleet, ...(scripted ? {} : { store }) });
}

/** Rehearsals of a scenario are in no statistics. */
async function measuring(setup: DriveSetup, store: RunStore, run: RunLog): Promise<DriveTelemetry | undefined> {
  if (setup.scripted || !isMeasured(setup.session)) return undefined;
  const { telemetryOf } = await import("../../features/telemetry/index.ts");
  return telemetryOf(setup, run, store);
}

/** In a scenario nobody answers but the scenario. A run of which only lost items run again is listed as it ended. */
const isAnsweredElsewhere = ({ scripted, lostItems }: DriveSetup): boolean =>
  scripted === undefined && lostItems === undefined;

/** Gates that a person may answer from another process. `driven`: answers are waited for while other branches go on. */
const storeAnswers = (store: RunStore, runId: string, driven: DriveGround["log"] | undefined): AnswerBox => ({
  present: (question) => store.state.gates.present(runId, question.key, question),
  get: (key) => mapMaybe(store.state.gates.get(runId, key), (kept) => kept?.answer as Answer | undefined),
  answerTo: (question) =>
    mapMaybe(store.state.gates.answerTo(runId, question.key, question), (kept) => kept?.answer as Answer | undefined),
  settle: (question, answer) =>
    mapMaybe(
      store.state.gates.settle(runId, question.key, question, answer),
      (first) => first?.answer as Answer | undefined,
    ),
  forget: (key) => store.state.gates.forget(runId, key),
  ...(driven ? { arrivals: arrivalsOf(store, driven) } : {}),
});

/** On a fleet an answer that comes while the run pauses places the next drive. Elsewhere, who answers looks at the index. */
const arrivalsOf = (store: RunStore, driven: DriveGround["log"]): Arrivals => ({
  answered: (keys) => store.state.gates.answered(driven.runId, keys),
  leave: () => (store.fleet ? undefined : driven.setStatus?.("paused", { resumable: true })),
  stay: () => (store.fleet ? undefined : driven.takeUp?.()),
});

/** Outcomes of steps with `cache:`, with the run that they come from. */
const storeCache = (store: RunStore, runId: string): OutcomeCache => ({
  get: (hash) => mapMaybe(store.state.cache.get(hash), (kept) => kept?.value as CachedOutcome | undefined),
  put: (hash, outcome, ttlSeconds) =>
    store.state.cache.put(
      hash,
      { ...outcome, runId } satisfies CachedOutcome,
      ttlSeconds === undefined ? {} : { ttl: ttlSeconds * 1000 },
    ),
});
