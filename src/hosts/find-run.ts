// A run by the beginning or the end of its id.
import { LEAST_OF_RUN_ID } from "../events/typeable.ts";
import { AmbiguousRun, StoreError } from "./store-error.ts";

/** What ids are looked up by; nothing for a text that is no part of one. */
export function partOfId(text: string): string | undefined {
  const part = text.toUpperCase();
  return /^[0-9A-Z]+$/.test(part) ? part : undefined;
}

/** Whether an id begins or ends with it. */
export const isOfId =
  (part: string) =>
  (runId: string): boolean =>
    runId.startsWith(part) || runId.endsWith(part);

/** The one run that was meant, of those that fit; `place`: where runs are kept. */
export function onlyRun(part: string, fitting: readonly string[], place: string): string | undefined {
  if (fitting.includes(part)) return part;
  if (fitting.length > 0 && part.length < LEAST_OF_RUN_ID)
    throw new StoreError(
      "ambiguous",
      `${part} is too short to name a run. Give at least ${LEAST_OF_RUN_ID} characters, from the beginning or the end of its id.`,
      place,
    );
  if (fitting.length > 1) throw new AmbiguousRun(part, fitting, place);
  return fitting[0];
}
