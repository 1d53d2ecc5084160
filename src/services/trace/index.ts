// `segno trace`: a run as OpenTelemetry spans, sent to where runs send theirs as they go, or handed back.

import type { Redactor } from "../../redact/index.ts";
import { type Head, head, type Result, redactEvent } from "../../results/index.ts";
import { refusal, withRefusals } from "../refusals.ts";
import { readEvents, redactorFor } from "../runs/read-run.ts";
import { version } from "../session/home.ts";
import { type RunNamed, withReader } from "../session/store.ts";
import { collectorSettings } from "../telemetry/switch.ts";
import { exportTarget, send, shownTarget } from "./otlp.ts";
import { type SpanTree, type Trace, treeOf } from "./span.ts";
import { traceOf } from "./spans-of.ts";

export type { SpanTree } from "./span.ts";

export interface TraceAnswer extends Head {
  readonly run_id: string | null;
  readonly trace_id: string | null;
  readonly spans: readonly SpanTree[];
  /** Where they were sent; null when no collector is named. */
  readonly sent: { readonly url: string; readonly count: number } | null;
}

export const traceRun = (request: RunNamed): Promise<TraceAnswer> => withRefusals(request, () => traced(request), none);

/** The spans alone: nothing is sent anywhere. */
export const spansOfRun = (request: RunNamed): Promise<TraceAnswer> =>
  withRefusals(
    request,
    async () => {
      const { runId, trace } = await traceIn(request);
      return { ...head(0), run_id: runId, trace_id: trace.trace_id, spans: treeOf(trace), sent: null };
    },
    none,
  );

interface TraceOfRun {
  readonly runId: string;
  readonly trace: Trace;
  readonly redactor: Redactor;
}

const traceIn = (request: RunNamed): Promise<TraceOfRun> =>
  withReader(request, async (reader) => {
    const redactor = await redactorFor(reader, request);
    const recorded = await readEvents(reader.events());
    const events = (function* () {
      for (const event of recorded) yield redactEvent(event, redactor);
    })();
    return { runId: reader.runId, trace: traceOf(reader.runId, events), redactor };
  });

async function traced(request: RunNamed): Promise<TraceAnswer> {
  const { runId, trace, redactor } = await traceIn(request);
  const found = { run_id: runId, trace_id: trace.trace_id, spans: treeOf(trace) };
  const settings = collectorSettings(request);
  const target = settings && exportTarget(settings);
  if (!target) return { ...head(0), ...found, sent: null };
  const problem = await send(trace, target, request.env.OTEL_SERVICE_NAME || "segno", version());
  if (problem === undefined)
    return { ...head(0), ...found, sent: { url: shownTarget(target.url), count: trace.spans.length } };
  return { ...failed(shownTarget(target.url), redactor.text(problem), trace), ...found, sent: null };
}

const none = ({ schema, success, exit_code, error, errors, warnings }: Result): TraceAnswer => ({
  schema,
  success,
  exit_code,
  error,
  errors,
  warnings,
  run_id: null,
  trace_id: null,
  spans: [],
  sent: null,
});

function failed(url: string, problem: string, { spans }: Trace): Head {
  const { errors } = refusal(`${spans.length} spans could not be sent to ${url}: ${problem}`, {
    errorType: "TraceNotSent",
    hint: "Check the address (SEGNO_OTLP, `telemetry` in segno.yaml, or OTEL_EXPORTER_OTLP_ENDPOINT) and that the collector speaks OTLP over HTTP (usually port 4318), then try again.",
  }).result;
  return head(1, errors);
}
