// The timeline: attempts as segments.
import type { RunViewProps } from "../run-view-props.ts";

export function Timeline(_: RunViewProps) {
  return <p class="quiet">The timeline is being drawn.</p>;
}
