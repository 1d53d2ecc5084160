// Why a run ended as it did, and its spans.
import type { ExplainedRun, ExplainAnswer as Explanation } from "../services/explain/index.ts";
import type { ResumePlan } from "../services/explain/plan.ts";
import type { TraceAnswer as TracedRun } from "../services/trace/index.ts";
import type { Options, StoreOptions } from "./options.ts";
import { STANDING, standingOf, standingWith } from "./standing.ts";
import { checkCall } from "./wrong-call.ts";

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
  await checkCall("explain", ["the id of a run", run], options, [...STANDING, "steps", "providers"]);
  const { explainRun } = await import("../services/explain/index.ts");
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
  await checkCall("trace", ["the id of a run", run], options, STANDING);
  const { traceRun } = await import("../services/trace/index.ts");
  return traceRun(standingOf(options), { run });
}
