// What a resume may build on: the second fold over a run's events. It keeps every visit's outcome by key, because reuse
// is by key and hash; it lives only while the run is being read back.
import type { RunEvent } from "../registry.ts";
import { RecallFold } from "./recall-fold.ts";
import type { Recall } from "./recorded.ts";

export type {
  LastOutcome,
  LeftRunning,
  PastFailure,
  Recall,
  Recorded,
  RecordedAnswer,
  RecordedRetry,
} from "./recorded.ts";

/** Reads a run's events back. For events that come one by one there is `RecallFold`. */
export function remember(events: Iterable<RunEvent>): Recall {
  const fold = new RecallFold();
  for (const event of events) fold.add(event);
  return fold;
}
