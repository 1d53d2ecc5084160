// Looking at runs and looking after them: the list, one of them, its events, why it ended so, stopping it, removing old
// ones.
import type { Result, RunSummaryStatus } from "../../base/results/result.ts";
import type { TraceAnswer as TracedRun } from "../../features/telemetry/trace/index.ts";
import type { ExplainedRun, ExplainAnswer as Explanation } from "../../services/explain/index.ts";
import type { ResumePlan } from "../../services/explain/plan.ts";
import type { PruneAnswer } from "../../services/runs/prune.ts";
import type { RunsAnswer } from "../../services/runs/runs.ts";
import type { Options, RunEvent, StoreOptions } from "./options.ts";
import { givenOf, STANDING, standingOf, standingWith } from "./services-of.ts";
import { checkCall, checkGiven } from "./wrong-call.ts";

export type { PruneAnswer, RunsAnswer };

const ID = "the id of a run";

export interface RunsOptions extends StoreOptions {
  readonly status?: RunSummaryStatus;
  readonly workflow?: string;
  /** Inputs as texts, by name: runs that were given all of them. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** 50 when left out. */
  readonly limit?: number;
}

/**
 * Lists runs, newest first.
 *
 * @example
 * const { runs: failed } = await runs({ status: "failed", limit: 10 });
 * for (const { run_id, kind } of failed) console.log(run_id, kind);
 *
 * @deprecated Use `segno.runs.list` of a client, which `createSegno` makes.
 */
export async function runs(options: RunsOptions = {}): Promise<RunsAnswer> {
  await checkGiven("runs", options, [...STANDING, "status", "workflow", "inputs", "limit"]);
  const { listRuns } = await import("../../services/runs/runs.ts");
  return listRuns(standingOf(options), givenOf(options, ["status", "workflow", "inputs", "limit"]));
}

/**
 * The result of a run as it stands.
 *
 * @example
 * const { status, errors: problems } = await show("01J…");
 * console.log(status, problems[0]?.hint);
 *
 * @deprecated Use `segno.runs.get` of a client, which `createSegno` makes.
 */
export async function show(run: string, options: StoreOptions = {}): Promise<Result> {
  await checkCall("show", [ID, run], options, STANDING);
  const { showRun } = await import("../../services/runs/runs.ts");
  return showRun(standingOf(options), { run });
}

export interface EventsOptions extends StoreOptions {
  /** Only events after this number. */
  readonly after?: number;
  /** Wait for more until the run ends. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * The events of a run from its journal, redacted; with `follow` until it ends. Throws when there is no such run.
 *
 * @example
 * for await (const event of events("01J…", { follow: true }))
 *   if (event.type === "agent_failed") console.error(event.data.agent_name, event.data.message);
 *
 * @deprecated Use `segno.runs.events` of a client, which `createSegno` makes.
 */
export async function* events(run: string, options: EventsOptions = {}): AsyncGenerator<RunEvent> {
  await checkCall("events", [ID, run], options, [...STANDING, "after", "follow", "signal"]);
  const { runEvents } = await import("../../services/runs/runs.ts");
  yield* runEvents(standingOf(options), { run, ...givenOf(options, ["after", "follow", "signal"]) });
}

/** An event of a run that is shown again. */
export interface Beat {
  readonly event: RunEvent;
  /** Milliseconds of the run between the event before and this one. */
  readonly after_ms: number;
  /** Milliseconds to wait before it is shown. */
  readonly wait_ms: number;
  /** A pause that is not waited out. */
  readonly passed_over?: { readonly what: "between drives" | "without an event"; readonly ms: number };
}

export interface ReplayOptions extends StoreOptions {
  /** 1 is real time. */
  readonly speed?: number;
}

/**
 * The events of a run with the time that passed between them, so that it can be shown again as it was. It does not wait:
 * the caller does.
 *
 * @example
 * for await (const { event, wait_ms } of replay("01J…", { speed: 10 })) {
 *   await new Promise((done) => setTimeout(done, wait_ms));
 *   console.log(event.type);
 * }
 *
 * @deprecated Use `segno.runs.replay` of a client, which `createSegno` makes.
 */
export async function* replay(run: string, options: ReplayOptions = {}): AsyncGenerator<Beat> {
  await checkCall("replay", [ID, run], options, [...STANDING, "speed"]);
  const { beatsOf, runEvents } = await import("../../services/runs/runs.ts");
  yield* beatsOf(runEvents(standingOf(options), { run }), options.speed ?? 1);
}

/**
 * Stops a run that another process drives, or closes one that waits; it stays resumable. A run of this process is
 * stopped with the `signal` it was given.
 *
 * @example
 * const { status } = await cancel("01J…");
 *
 * @deprecated Use `segno.runs.cancel` of a client, which `createSegno` makes.
 */
export async function cancel(run: string, options: StoreOptions = {}): Promise<Result> {
  await checkCall("cancel", [ID, run], options, STANDING);
  const { cancelRun } = await import("../../services/runs/cancel.ts");
  return cancelRun(standingOf(options), { run });
}

export interface PruneOptions extends StoreOptions {
  /** Only runs that ended longer ago: `30d`, `12h`. */
  readonly olderThan?: string;
  /** How many of the newest of each workflow stay; 200 when left out, or 0 with `olderThan`. */
  readonly keep?: number;
  readonly status?: RunSummaryStatus;
  readonly workflow?: string;
  /** Also those that can be resumed, that wait for an answer, or that have open letters. */
  readonly resumable?: boolean;
  /** Of all projects, not only of files below the working directory. */
  readonly all?: boolean;
  /** Says what would be removed, and removes nothing. */
  readonly dryRun?: boolean;
}

/**
 * Removes old runs, without asking.
 *
 * @example
 * const { removed, kept } = await prune({ keep: 50 });
 *
 * @deprecated Use `segno.runs.prune` of a client, which `createSegno` makes.
 */
export async function prune(options: PruneOptions = {}): Promise<PruneAnswer> {
  const names = ["olderThan", "keep", "status", "workflow", "resumable", "all", "dryRun"] as const;
  await checkGiven("prune", options, [...STANDING, ...names]);
  const { pruneRuns } = await import("../../services/runs/prune.ts");
  return pruneRuns(standingOf(options), { ...givenOf(options, names), yes: true });
}

export type { ExplainedRun, Explanation, ResumePlan, TracedRun };

/** Own step types and providers that the run's file uses: without them a resume could not be planned. */
export interface ExplainOptions extends StoreOptions, Pick<Options, "steps" | "providers"> {}

/**
 * Tells what happened in a run and why: what raised, which routes were read and why each matched or not, and what a
 * resume would run again. It changes nothing.
 *
 * @example
 * const { chapters, next } = await explain("01J…");
 * for (const { troubles } of chapters)
 *   for (const { node_id, raised, routes } of troubles)
 *     console.log(node_id, raised.at(-1)?.kind, routes.find(({ taken }) => taken)?.text ?? "no route took it");
 * console.log(next);
 *
 * @deprecated Use `segno.runs.explain` of a client, which `createSegno` makes.
 */
export async function explain(run: string, options: ExplainOptions = {}): Promise<Explanation> {
  await checkCall("explain", [ID, run], options, [...STANDING, "steps", "providers"]);
  const { explainRun } = await import("../../services/explain/index.ts");
  return explainRun(await standingWith(options), { run });
}

/**
 * Gives a run as OpenTelemetry spans, and sends them when `SEGNO_OTLP` or `OTEL_EXPORTER_OTLP_ENDPOINT` is set.
 *
 * @example
 * const { spans } = await trace("01J…");
 * for (const { name, duration_ms, status } of spans) console.log(name, duration_ms, status);
 *
 * @deprecated Use `segno.runs.trace` of a client, which `createSegno` makes.
 */
export async function trace(run: string, options: StoreOptions = {}): Promise<TracedRun> {
  await checkCall("trace", [ID, run], options, STANDING);
  const { traceRun } = await import("../../features/telemetry/trace/index.ts");
  return traceRun(standingOf(options), { run });
}
