// Why a run ended as it did, and its spans.
import type { Entry, Head, ResultStatus } from "../results/result.ts";
import type { Chapter } from "../services/explain/story.ts";
import type { SpanTree } from "../services/trace/span.ts";
import { calledAs } from "./called-as.ts";
import type { Options, StoreOptions } from "./options.ts";
import { extensionsOf } from "./services-of.ts";
import { STANDING, standingOf } from "./standing.ts";
import { checkGiven, checkText } from "./wrong-call.ts";

/** What happened in a run, in chapters. */
export interface Explanation extends Head {
  /** null: there is no such run. */
  readonly run: ExplainedRun | null;
  /** One for each time that the run was driven. */
  readonly chapters: readonly Chapter[];
  /** What a resume would do now; null when the run cannot be resumed, or is being driven. */
  readonly resume: ResumePlan | null;
  /** What to do, in sentences. */
  readonly next: readonly string[];
}

/** Own step types and providers that the run's file uses: without them a resume could not be planned. */
export interface ExplainOptions extends StoreOptions, Pick<Options, "steps" | "providers"> {}

export interface ExplainedRun {
  readonly run_id: string;
  readonly workflow: string | null;
  readonly file: string | null;
  readonly status: ResultStatus | "crashed";
  readonly exit_code: number | null;
  readonly success: boolean;
  readonly started_at: string | null;
  readonly duration_ms: number | null;
  readonly drives: number;
  readonly headline: string | null;
  readonly not_executed: readonly string[];
  readonly errors: readonly Entry[];
  readonly cost_usd: number | null;
  readonly tokens: number;
}

export interface ResumePlan {
  /** The call that would do it. */
  readonly command: string;
  /** What was edited since. */
  readonly changes: readonly {
    readonly file: string;
    readonly node_id: string | null;
    readonly what: "changed" | "routes" | "added" | "removed";
    readonly fields?: readonly string[];
  }[];
  /** Why the file cannot be resumed with as it is now. */
  readonly refused: readonly Entry[];
  readonly reused: readonly string[];
  /** Of those that are reused: files that they run or name and that have changed since. */
  readonly changed_files: readonly {
    readonly node_id: string;
    readonly path: readonly string[];
    readonly files: readonly string[];
    readonly command: string | null;
  }[];
  readonly runs: readonly {
    readonly node_id: string;
    readonly path: readonly string[];
    readonly why: string;
    readonly members?: number;
  }[];
  /** Completed steps that read what would run again. */
  readonly depends: readonly string[];
  /** A question that would be asked first. */
  readonly asks: string | null;
  /** Where it would come to `max_iterations`, unless more are allowed: with `allow`, as `command` does. */
  readonly limit?: {
    readonly max_iterations: number;
    readonly executions: number;
    readonly node_id: string;
    readonly path: readonly string[];
    readonly allow: number | null;
    readonly command: string | null;
  };
}

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
  checkText(calledAs(options, "explain"), "the id of a run", run);
  await checkGiven("explain", options, [...STANDING, "steps", "providers"]);
  const { explainRun } = await import("../services/explain/index.ts");
  return explainRun({ ...standingOf(options), extensions: await extensionsOf(options) }, { run });
}

/** A run as OpenTelemetry spans. */
export interface TracedRun extends Head {
  readonly run_id: string | null;
  readonly trace_id: string | null;
  readonly spans: readonly SpanTree[];
  /** Where they were sent; null when the environment names no place. */
  readonly sent: { readonly url: string; readonly count: number } | null;
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
  checkText(calledAs(options, "trace"), "the id of a run", run);
  await checkGiven("trace", options, STANDING);
  const { traceRun } = await import("../services/trace/index.ts");
  return traceRun(standingOf(options), { run });
}
