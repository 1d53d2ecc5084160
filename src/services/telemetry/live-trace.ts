// Spans as they end, while the run goes on: the same that `segno trace` gives afterwards, each once.
import type { RunEvent } from "../../events/registry.ts";
import { VisitFold } from "../../events/visits/visit-fold.ts";
import type { VisitRecord } from "../../events/visits/visit-record.ts";
import type { Span } from "../trace/span.ts";
import { driveSpans, visitSpans } from "../trace/spans-of.ts";

export class LiveTrace {
  readonly #runId: string;
  readonly #send: (spans: readonly Span[]) => void;
  readonly #fold = new VisitFold({ history: true });
  readonly #sent = new Set<string>();
  /** Visits that began and whose span is not sent yet. */
  readonly #open = new Set<string>();

  /** `past` is what earlier drives recorded: links lead there. */
  constructor(runId: string, past: Iterable<RunEvent>, send: (spans: readonly Span[]) => void) {
    this.#runId = runId;
    this.#send = send;
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
    const spans = visitSpans(this.#runId, visit, drive).map(({ span }) => span);
    const [own, ...attempts] = spans;
    const ended = attempts.filter((_, at) => visit.attempts.filter((one) => one.drive === drive)[at]?.ended);
    this.#sendNew(isOver && own ? [own, ...ended] : ended);
    if (isOver) this.#open.delete(key);
  }

  #sendRest(): void {
    const drive = this.#fold.drives.at(-1);
    if (drive) this.#sendNew(driveSpans(this.#runId, drive, this.#fold));
    this.#open.clear();
  }

  #sendNew(spans: readonly Span[]): void {
    const fresh = spans.filter(({ id }) => !this.#sent.has(id));
    for (const { id } of fresh) this.#sent.add(id);
    if (fresh.length > 0) this.#send(fresh);
  }
}

/**
 * A failure is over once its routes were read and none of them was a retry. What went well is over once its routes were
 * read, too: they may raise. Members and `terminate` have none to read then.
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
