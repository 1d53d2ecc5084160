// What a story is told with.
import type { Colors } from "../../output.ts";

export interface StoryView {
  readonly colors: Colors;
  readonly width: number;
  readonly now: number;
  /** A file that a finding points at. */
  readonly read: (file: string) => string | undefined;
}
