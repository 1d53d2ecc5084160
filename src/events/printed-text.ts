// What scripts printed, as events show it: most of it in events of its own, the last of it sometimes with the event that
// ends the script.
import type { EventData, RunEvent } from "./registry.ts";

/** The end of a stream that was held back while it could have been the beginning of a secret. */
export type HeldBack = NonNullable<EventData<"script_completed">["held_back"]>[number];

export function heldBackIn(event: RunEvent): readonly HeldBack[] {
  switch (event.type) {
    case "script_completed":
    case "script_failed":
    case "run_resumed":
      return event.data.held_back ?? [];
    default:
      return [];
  }
}

export function withoutHeldBack(event: RunEvent): RunEvent {
  if (heldBackIn(event).length === 0) return event;
  const { held_back: _, ...data } = event.data as EventData<"script_completed">;
  return { ...event, data } as RunEvent;
}

/** All that an event shows of what scripts printed. */
export const printedIn = (event: RunEvent): readonly EventData<"script_output">[] =>
  event.type === "script_output" ? [event.data] : heldBackIn(event);
