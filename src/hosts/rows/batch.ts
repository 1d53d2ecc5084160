// A row of the journal: the events that one append recorded, as `[type, data, ts, path]`. What is the same for all events of
// a run, or follows from the row, is not written; nor is a time that is the one before, nor the path of the root.
import type { RunEvent } from "../../events/registry.ts";
import type { DataText } from "../data-text.ts";
import { StoreError } from "../store-error.ts";
import { BIG, type Fetch, fetchBig, type Keep, keepBig, keepBigOf, mayHoldBig, speaksOfBlobs } from "./spill.ts";

type Entry = readonly [type: string, data: unknown, ts?: string, path?: readonly string[]];

/** `dataTexts`: the events' data as JSON, which others need too; nothing for data that is too long for one text. */
export function encodeBatch(events: readonly RunEvent[], dataTexts: readonly DataText[], keep: Keep): string {
  // Looked at one by one when they are too long together to be one text.
  const length = dataTexts.reduce((sum, text) => sum + (text?.length ?? Number.POSITIVE_INFINITY), 0);
  const text = length > BIG ? undefined : joined(events, dataTexts as readonly string[]);
  if (text !== undefined && !mayHoldBig(text)) return text;
  return joined(
    events,
    dataTexts.map((data, at) => (data === undefined ? keepBigOf(events[at]!.data, keep) : keepBig(data, keep))),
  );
}

/** The same for people: a value that no text can hold is refused with what its author can do. `place`: where runs are kept. */
export function encodeRow(
  events: readonly RunEvent[],
  dataTexts: readonly DataText[],
  keep: Keep,
  { runId, place }: { readonly runId: string; readonly place: string },
): string {
  try {
    return encodeBatch(events, dataTexts, keep);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const types = [...new Set(events.map(({ type }) => type))].join(", ");
    throw new StoreError(
      "too_big",
      `While recording run ${runId}: a value in ${types} is longer than any text can be (512 MB), or nested too deeply to be written. Let the step write it to a file, and give the file's name.`,
      place,
      error,
    );
  }
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
    const [type, data, ts = before, path = []] = isEntry(entry)
      ? entry
      : [entry.type, entry.data, entry.ts, entry.path];
    if (
      typeof type !== "string" ||
      typeof data !== "object" ||
      data === null ||
      typeof ts !== "string" ||
      !isPath(path)
    )
      throw new TypeError("no event");
    if (!isEntry(entry)) return { ...entry, data: whole(data) } as RunEvent;
    before = ts;
    return { seq: firstSeq + index, ts, type, run_id: runId, path, data: whole(data) } as RunEvent;
  });
}

const isPath = (path: unknown): boolean => Array.isArray(path) && path.every((slot) => typeof slot === "string");

const isEntry = (entry: Entry | RunEvent): entry is Entry => Array.isArray(entry);
