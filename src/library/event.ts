// An event as a listener of the library sees it. What `data` holds for each type is in docs/events.md.

/**
 * Something that happened in a run. Events are redacted: they may be shown.
 *
 * @example
 * const on = ({ type, data }: RunEvent) => console.log(type, data);
 */
export interface RunEvent {
  /** Counts up from 1 within the run. */
  readonly seq: number;
  /** When, as ISO 8601. */
  readonly ts: string;
  /** `agent_completed`, `error_raised`, `retry_scheduled` … */
  readonly type: string;
  readonly run_id: string;
  /** The sub-workflows that it happened in, outermost first. */
  readonly path: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}
