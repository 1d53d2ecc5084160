// Why a scenario fails, and where that stands when it is known.
import type { Place } from "../../results/result.ts";

export interface ScenarioProblem {
  readonly message: string;
  readonly place?: Place;
  /** What would be right there instead. */
  readonly suggestions?: readonly string[];
}

/** With its place, as people read it. */
export const problemSentence = ({ message, place }: ScenarioProblem): string =>
  place ? `${place.file}:${place.line}:${place.column}: ${message}` : message;
