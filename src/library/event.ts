// Events as a listener of the library sees them, each with its own data.
import type { EventData } from "./from-schemas.ts";

export type { EventData };

/** The names of all events; docs/events.md tells when each comes. */
export type EventType = keyof EventData;

/**
 * One type of event. Events are redacted: they may be shown.
 *
 * @example
 * const tell = ({ data }: EventOf<"agent_failed">) => console.error(data.agent_name, data.message);
 */
export interface EventOf<Type extends EventType> {
  /** Counts up from 1 within the run. */
  readonly seq: number;
  /** When, as ISO 8601. */
  readonly ts: string;
  readonly type: Type;
  readonly run_id: string;
  /** The sub-workflows that it happened in, outermost first. */
  readonly path: readonly string[];
  readonly data: EventData[Type];
}

/**
 * Something that happened in a run: `type` says what, and then `data` is known.
 *
 * @example
 * const on = (event: RunEvent) => {
 *   if (event.type === "retry_scheduled") console.log(event.data.node, event.data.delay_seconds);
 * };
 */
export type RunEvent = { [Type in EventType]: EventOf<Type> }[EventType];

/**
 * Hears events: all of them with one function, or each type with its own.
 *
 * @example
 * await run("release.yaml", {
 *   on: {
 *     agent_failed: ({ data }) => console.error(data.agent_name, data.kind),
 *     gate_presented: ({ data }) => console.log(data.prompt),
 *   },
 * });
 */
export type Listener =
  | ((event: RunEvent) => unknown)
  | { readonly [Type in EventType]?: (event: EventOf<Type>) => unknown };
