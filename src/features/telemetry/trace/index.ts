// `segno trace`: a run as OpenTelemetry spans, sent to where runs send theirs as they go, or handed back.

import { VisitFold, withoutOutput } from "../../../base/events/visits/visit-fold.ts";
import { LazyList } from "../../../base/json/pieces.ts";
import { type Head, head, type Result, redactEvent } from "../../../base/results/index.ts";
import { eachEvent, redactorFor } from "../../../services/reading/read-run.ts";
import { refusal, withRefusals } from "../../../services/refusals.ts";
import { version } from "../../../services/session/home.ts";
import type { Session } from "../../../services/session/session.ts";
import { type RunNamed, withReader } from "../../../services/session/store.ts";
import { collectorSettings } from "../switch.ts";
import { exportTarget, send, shownTarget } from "./otlp.ts";
import { type ListedSpanTree, type SpanTree, traceIdOf } from "./span.ts";
import { traceOf, treesOf } from "./spans-of.ts";

export type { SpanTree } from "./span.ts";

/** The answer with spans that are made as they are read. */
export interface ListedTrace extends Omit<TraceAnswer, "spans"> {
  readonly spans: LazyList<ListedSpanTree>;
}

/** A run as OpenTelemetry spans. */
export interface TraceAnswer extends Head {
  readonly run_id: string | null;
  readonly trace_id: string | null;
  readonly spans: readonly SpanTree[];
  /** Where they were sent; null when no collector is named. */
  readonly sent: { readonly url: string; readonly count: number } | null;
}

export const traceRun = async (session: Session, request: RunNamed): Promise<TraceAnswer> =>
  whole(await listTrace(session, request));

/** The same for those who write it down: it is not held in memory. */
export const listTrace = (session: Session, request: RunNamed): Promise<ListedTrace> =>
  withRefusals(session, () => traced(session, request), none);

/** The spans alone: nothing is sent anywhere. */
export const spansOfRun = async (session: Session, request: RunNamed): Promise<TraceAnswer> =>
  whole(await withRefusals(session, async () => answered(await foldIn(session, request)), none));

const whole = ({ spans, ...answer }: ListedTrace): TraceAnswer => ({
  ...answer,
  spans: Array.from(spans, (span): SpanTree => ({ ...span, children: [...span.children] })),
});

const answered = (
  { runId, fold }: { readonly runId: string; readonly fold: VisitFold },
  sent: ListedTrace["sent"] = null,
  first: Head = head(0),
): ListedTrace => ({
  ...first,
  run_id: runId,
  trace_id: traceIdOf(runId),
  spans: new LazyList(() => treesOf(runId, fold)),
  sent,
});

const foldIn = (session: Session, request: RunNamed) =>
  withReader(session, request, async (reader) => {
    const redactor = await redactorFor(reader, session);
    const fold = new VisitFold({ history: true, settles: true });
    await eachEvent(reader.events(), (event) => fold.add(redactEvent(withoutOutput(event), redactor)));
    return { runId: reader.runId, fold, redactor };
  });

async function traced(session: Session, request: RunNamed): Promise<ListedTrace> {
  const folded = await foldIn(session, request);
  const settings = collectorSettings(session);
  const target = settings && exportTarget(settings);
  if (!target) return answered(folded);
  const trace = traceOf(folded.runId, folded.fold);
  const problem = await send(trace, target, session.env.OTEL_SERVICE_NAME || "segno", version());
  if (problem === undefined) return answered(folded, { url: shownTarget(target.url), count: trace.spans.length });
  return answered(folded, null, failed(shownTarget(target.url), folded.redactor.text(problem), trace));
}

const none = ({ schema, success, exit_code, error, errors, warnings }: Result): ListedTrace => ({
  schema,
  success,
  exit_code,
  error,
  errors,
  warnings,
  run_id: null,
  trace_id: null,
  spans: new LazyList(() => []),
  sent: null,
});

function failed(url: string, problem: string, { spans }: ReturnType<typeof traceOf>): Head {
  const { errors } = refusal(`${spans.length} spans could not be sent to ${url}: ${problem}`, {
    errorType: "TraceNotSent",
    hint: "Check the address (SEGNO_OTLP, `telemetry` in segno.yaml, or OTEL_EXPORTER_OTLP_ENDPOINT) and that the collector speaks OTLP over HTTP (usually port 4318), then try again.",
  }).result;
  return head(1, errors);
}
