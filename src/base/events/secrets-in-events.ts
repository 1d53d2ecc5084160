// Which recorded inputs stand for secrets, by the list beside them alone: anybody may send an input that looks like one. And
// what scripts printed, of which the end is held back while it could be the beginning of a secret.
import type { EventData, RunEvent } from "./registry.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** What begins a drive or a sub-workflow records these two. */
export interface RecordedInputs {
  readonly inputs: Inputs;
  readonly hidden_inputs?: readonly string[] | undefined;
}

const MARK = "$secret";

export const placeholderOf = (name: string): Inputs => ({ [MARK]: name });

/** Journals of 0.2 and before have no list: there the shape has to do. */
export const secretNamesIn = ({ inputs, hidden_inputs }: RecordedInputs): readonly string[] =>
  hidden_inputs ?? Object.keys(inputs).filter((name) => looksLikePlaceholder(inputs[name], name));

const looksLikePlaceholder = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 1 && (value as Inputs)[MARK] === name;

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
