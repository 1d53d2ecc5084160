// Telemetry of one drive: the listeners of its events, the span that scripts and HTTP calls get, the final warnings.
import { isKind, KINDS } from "../../base/errors/index.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { VisitFold } from "../../base/events/visits/visit-fold.ts";
import type { VisitRecord } from "../../base/events/visits/visit-record.ts";
import type { Redactor } from "../../base/redact/index.ts";
import { plainEntry } from "../../base/results/entry.ts";
import { type Result, redactEvent } from "../../base/results/index.ts";
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";
import type { DriveSetup } from "../../services/drive/setup.ts";
import { readEvents } from "../../services/reading/read-run.ts";
import type { DriveListeners } from "../../services/request.ts";
import { version } from "../../services/session/home.ts";
import type { Session } from "../../services/session/session.ts";
import type { StepWorld } from "../../steps/world.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunStore } from "../../storage/store.ts";
import { gaugesOf, metricsOfProcess } from "./metrics.ts";
import { Exporter, otlpMetrics } from "./otlp-metrics.ts";
import { collectorSettings } from "./switch.ts";
import { exportTarget } from "./trace/otlp.ts";
import { attemptSpanId, type Span, traceIdOf } from "./trace/span.ts";
import { driveSpans, visitSpans } from "./trace/spans-of.ts";

export interface DriveTelemetry {
  /** The same drive with listeners, and with a world that passes each step's span on. */
  listening(setup: DriveSetup, listeners: DriveListeners): readonly [DriveSetup, DriveListeners];
  /** Sends the rest, and warns when that did not work. */
  end(result: Result): Promise<Result>;
}

export async function telemetryOf(
  { session, workflow, recall, redactor }: DriveSetup,
  run: RunLog,
  store: RunStore,
): Promise<DriveTelemetry> {
  const { runId } = run;
  const name = redactor.text(workflow.definition.workflow.name);
  const labelOf = kindLabels(workflow);
  const exporter = exporterFor(session, runId, store);
  const past = exporter && recall.drives > 0 ? await readEvents(run.events()) : [];
  const live = exporter && new LiveTrace(runId, shownEvents(past, redactor), exporter.send);
  const heard = (event: RunEvent, { on }: DriveListeners): void => {
    metricsOfProcess.see(event, name, labelOf);
    live?.see(event);
    on?.(event);
  };
  return {
    listening: (setup, listeners) => [
      exporter
        ? { ...setup, world: withTraceparent(setup.world, runId, recall.drives + (setup.lostItems ? 0 : 1)) }
        : setup,
      { ...listeners, on: (event) => heard(event, listeners) },
    ],
    async end(result) {
      const problem = await exporter?.end();
      if (problem === undefined) return result;
      const message = redactor.text(`telemetry could not be sent to ${problem}`);
      return { ...result, warnings: [...result.warnings, plainEntry({ message })] };
    },
  };
}

/** What earlier drives recorded, as what this one records is heard. */
function* shownEvents(events: Iterable<RunEvent>, redactor: Redactor): Generator<RunEvent> {
  for (const event of events) yield redactEvent(event, redactor);
}

function exporterFor(session: Session, runId: string, store: RunStore): Exporter | undefined {
  const settings = collectorSettings(session);
  const traces = settings && exportTarget(settings);
  if (!traces) return undefined;
  const service = session.env.OTEL_SERVICE_NAME || "segno";
  return new Exporter({
    traces,
    metrics: exportTarget(settings, "metrics"),
    service,
    version: version(),
    traceId: traceIdOf(runId),
    measured: async (isLast) => {
      // A run is none the worse when the store does not answer.
      const gauged = isLast ? await gaugesOf(store).catch(() => []) : [];
      const { cell } = session.project ?? {};
      const measured = { metrics: metricsOfProcess, gauged, now: Date.now(), ...(cell === undefined ? {} : { cell }) };
      return otlpMetrics(measured, service, version());
    },
  });
}

/** `TRACEPARENT` for scripts and `traceparent` for HTTP, unless the author gave one. */
function withTraceparent(world: StepWorld, runId: string, drive: number): StepWorld {
  const parent = (idempotencyKey: string): string =>
    `00-${traceIdOf(runId)}-${attemptSpanId(idempotencyKey, drive)}-01`;
  return {
    ...world,
    run: (request, attempt) =>
      world.run({ ...request, env: { ...request.env, TRACEPARENT: parent(attempt.idempotencyKey) } }, attempt),
    fetch: (request, attempt) => {
      const isGiven = Object.keys(request.headers).some((name) => name.toLowerCase() === "traceparent");
      const headers = isGiven ? request.headers : { ...request.headers, traceparent: parent(attempt.idempotencyKey) };
      return world.fetch({ ...request, headers }, attempt);
    },
  };
}

// Which kinds of error may be a label: those that the registry or the workflow's own files name. A script may raise any
// kind, also one that it makes of a value, and each would be a series of its own for good.

const UNDECLARED = "undeclared";

/** The label of a kind, in runs of that file and of all that it calls. */
function kindLabels(root: LoadedWorkflow): (kind: string) => string {
  const named = new Set<string>();
  for (const { raw } of familyOf(root)) collect(raw, named);
  return (kind) => (KINDS.has(kind) || named.has(kind) ? kind : UNDECLARED);
}

/** In `raises`, in rules, in routes: wherever a kind stands, it is a text that reads as one. */
function collect(written: unknown, named: Set<string>): void {
  if (typeof written === "string") {
    if (isKind(written)) named.add(written);
  } else if (typeof written === "object" && written !== null)
    for (const part of Object.values(written)) collect(part, named);
}

/** Spans as they end, while the run goes on: the same that `segno trace` gives afterwards, each once. */
class LiveTrace {
  readonly #fold = new VisitFold({ history: true });
  readonly #sent = new Set<string>();
  /** Visits that began and whose span is not sent yet. */
  readonly #open = new Set<string>();

  /** `past` is what earlier drives recorded: links lead there. */
  constructor(
    private readonly runId: string,
    past: Iterable<RunEvent>,
    private readonly send: (spans: readonly Span[]) => void,
  ) {
    for (const event of past) this.#fold.add(event);
  }

  see(event: RunEvent): void {
    this.#fold.add(event);
    switch (event.type) {
      case "agent_started":
        this.#open.add(event.data.key);
        break;
      case "agent_completed":
      case "agent_failed":
      case "agent_cancelled":
        this.#sendVisit(event.data.key);
        break;
      case "route_taken":
      case "error_routed":
      case "error_unhandled":
        for (const key of this.#open) this.#sendVisit(key);
        break;
      case "workflow_completed":
      case "workflow_failed":
      case "run_paused":
      case "run_cancelled":
        this.#sendRest();
    }
  }

  /** The visit itself only when it leads away; of one that may be tried again its attempts. */
  #sendVisit(key: string): void {
    const visit = this.#fold.visits.get(key);
    const drive = this.#fold.drives.at(-1)?.number;
    if (!visit || drive === undefined) return;
    const isOver = hasLedAway(visit);
    const spans = visitSpans(this.runId, visit, drive).map(({ span }) => span);
    const [own, ...attempts] = spans;
    const ended = attempts.filter((_, at) => visit.attempts.filter((one) => one.drive === drive)[at]?.ended);
    this.#sendNew(isOver && own ? [own, ...ended] : ended);
    if (isOver) this.#open.delete(key);
  }

  #sendRest(): void {
    const drive = this.#fold.drives.at(-1);
    if (drive) this.#sendNew(driveSpans(this.runId, drive, this.#fold));
    this.#open.clear();
  }

  #sendNew(spans: readonly Span[]): void {
    const fresh = spans.filter(({ id }) => !this.#sent.has(id));
    for (const { id } of fresh) this.#sent.add(id);
    if (fresh.length > 0) this.send(fresh);
  }
}

/**
 * Over once its routes were read and none was a retry, also when it went well: they may raise. Members and `terminate`
 * that went well have no routes to read.
 */
function hasLedAway({ attempts, history, group }: VisitRecord): boolean {
  const last = attempts.at(-1);
  if (!last?.ended) return false;
  if (last.end === "ok" && group === undefined && last.type !== "terminate")
    return (history?.routes.at(-1)?.seq ?? 0) > last.ended.seq;
  if (last.end !== "failed") return true;
  const reading = history?.readings.at(-1);
  return reading !== undefined && reading.seq > last.ended.seq && reading.routed?.action !== "retry";
}
