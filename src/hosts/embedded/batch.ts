// A row of the journal: the events that one append recorded, as `[type, data, ts, path]`. What is the same for all events of
// a run, or follows from the row, is not written; nor is a time that is the one before, nor the path of the root.
import type { RunEvent } from "../../events/registry.ts";
import { type Fetch, fetchBig, type Keep, keepBig, mayHoldBig, speaksOfBlobs } from "./spill.ts";

type Entry = readonly [type: string, data: unknown, ts?: string, path?: readonly string[]];

/** `dataTexts`: the events' data as JSON, which others need too. */
export function encodeBatch(events: readonly RunEvent[], dataTexts: readonly string[], keep: Keep): string {
  const text = joined(events, dataTexts);
  return mayHoldBig(text)
    ? joined(
        events,
        dataTexts.map((data) => keepBig(data, keep)),
      )
    : text;
}

function joined(events: readonly RunEvent[], dataTexts: readonly string[]): string {
  let text = "[";
  let before = "";
  for (let index = 0; index < events.length; index++) {
    const { type, ts, path } = events[index]!;
    text += `${index === 0 ? "" : ","}["${type}",${dataTexts[index]}`;
    if (path.length > 0) text += `,"${ts}",${JSON.stringify(path)}`;
    else if (ts !== before) text += `,"${ts}"`;
    text += "]";
    before = ts;
  }
  return `${text}]`;
}

export interface BatchPlace {
  readonly runId: string;
  readonly firstSeq: number;
  readonly fetch: Fetch;
}

/** Rows of the first format hold whole events. */
export function decodeBatch(text: string, { runId, firstSeq, fetch }: BatchPlace): RunEvent[] {
  const whole = speaksOfBlobs(text) ? (data: unknown) => fetchBig(data, fetch) : (data: unknown) => data;
  let before = "";
  return (JSON.parse(text) as (Entry | RunEvent)[]).map((entry, index) => {
    if (!isEntry(entry)) return { ...entry, data: whole(entry.data) } as RunEvent;
    const [type, data, ts = before, path = []] = entry;
    if (typeof type !== "string" || typeof data !== "object" || data === null) throw new TypeError("no event");
    before = ts;
    return { seq: firstSeq + index, ts, type, run_id: runId, path, data: whole(data) } as RunEvent;
  });
}

const isEntry = (entry: Entry | RunEvent): entry is Entry => Array.isArray(entry);
