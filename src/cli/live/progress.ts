// Whatever shows a run while it goes on.
import type { RunEvent } from "../../events/registry.ts";

export interface ProgressView {
  on(event: RunEvent): void;
  /** A line that belongs to no event. */
  say(text: string): void;
  /** Steps aside while a question is asked. */
  pause(): void;
  resume(): void;
  /** Nothing more will come; what was redrawn is taken away. */
  end(): void;
}
