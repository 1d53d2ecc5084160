// Who answered, as the journal has it: the person where one is known, and the way the answer came.
import type { Answerer } from "./ask.ts";

export interface RecordedAnswerer {
  readonly answered_by: string;
  readonly answered_via?: string;
  readonly claimed_by?: string;
}

/** Where no person is known (skipped gates, a scenario), the way is all that there is to say. */
export const recordedAnswerer = ({ by, person, claims }: Answerer): RecordedAnswerer => ({
  ...(person === undefined ? { answered_by: by } : { answered_by: person, answered_via: by }),
  ...(claims === undefined ? {} : { claimed_by: claims }),
});
