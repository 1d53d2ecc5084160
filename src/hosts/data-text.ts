// The data of an event as JSON. What a large group gives can be held, and yet be longer as one text than any text can be
// (512 MB): then there is none, and the caller writes it part by part.
import type { RunEvent } from "../events/registry.ts";

/** Nothing when it would be too long. */
export type DataText = string | undefined;

export function textOfData(data: object): DataText {
  try {
    return JSON.stringify(data);
  } catch (problem) {
    if (problem instanceof RangeError) return undefined;
    throw problem;
  }
}

export const textsOfData = (events: readonly RunEvent[]): readonly DataText[] =>
  events.map(({ data }) => textOfData(data));
