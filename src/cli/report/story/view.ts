// What a story is told with.
import type { Colors } from "../../output.ts";

export interface StoryView {
  readonly colors: Colors;
  /** Columns that prose is broken at. */
  readonly width: number;
  /** Columns at which a line that cannot be broken is cut. */
  readonly line: number;
  readonly now: number;
  /** A file that a finding points at. */
  readonly read: (file: string) => string | undefined;
}
