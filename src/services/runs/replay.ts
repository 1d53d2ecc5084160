// A run's events with the time that passed between them: what a replay waits, and what it passes over and says so.
import type { RunEvent } from "../../events/registry.ts";

export interface Beat {
  readonly event: RunEvent;
  /** Milliseconds of the run between the event before and this one. */
  readonly after_ms: number;
  /** Milliseconds that are waited before it is shown. */
  readonly wait_ms: number;
  /** A pause that is not waited out. */
  readonly passed_over?: { readonly what: "between drives" | "without an event"; readonly ms: number };
}

/** No longer than this is waited for one event; what is longer is said in words. */
const LONGEST_WAIT_MS = 5000;
const BETWEEN_DRIVES_MS = 800;

/** @example for await (const { event, wait_ms } of beatsOf(runEvents(session, { run }), 10)) await sleep(wait_ms); */
export async function* beatsOf(events: AsyncIterable<RunEvent>, speed: number): AsyncIterable<Beat> {
  let before: number | undefined;
  for await (const event of events) {
    const at = Date.parse(event.ts);
    // A clock that was set back makes no negative wait.
    const after_ms = before === undefined ? 0 : Math.max(0, at - before);
    before = at;
    yield { event, after_ms, ...pacing(event, after_ms, speed) };
  }
}

function pacing(event: RunEvent, after_ms: number, speed: number): Pick<Beat, "wait_ms" | "passed_over"> {
  if (event.type === "run_resumed")
    return { wait_ms: BETWEEN_DRIVES_MS, passed_over: { what: "between drives", ms: after_ms } };
  const wait_ms = after_ms / speed;
  if (wait_ms <= LONGEST_WAIT_MS) return { wait_ms };
  return { wait_ms: BETWEEN_DRIVES_MS, passed_over: { what: "without an event", ms: after_ms } };
}
