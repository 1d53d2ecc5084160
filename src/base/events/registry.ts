// Every event a run can have, with its payload. Single source: the types, docs/events.md and the tests come from here.
// At run time only the types are used; nothing is parsed on the hot path.
import type { z } from "zod";
import { EXECUTOR_EVENTS, MODEL_EVENTS } from "./families/executor.ts";
import { define, flag, number, text } from "./families/fields.ts";
import { GROUP_EVENTS } from "./families/group.ts";
import { PEOPLE_EVENTS } from "./families/people.ts";
import { RUN_EVENTS } from "./families/run.ts";
import { GUARD_EVENTS, ROUTE_EVENTS, STEP_EVENTS } from "./families/step.ts";

/** What is only worth knowing. */
const NOTE_EVENTS = {
  hook_ran: define("A lifecycle hook ran.", {
    hook: text,
    key: text.optional(),
    ok: flag,
    text: text.optional(),
    exit_code: number.optional(),
    message: text.optional(),
  }),
  warning: define("Something worth knowing happened.", { node: text.nullable(), message: text }),
  errors_jsonl_write_failed: define("`errors.jsonl` could not be written.", { reason: text, path: text }),
} as const;

export const EVENTS = {
  ...RUN_EVENTS,
  ...STEP_EVENTS,
  ...MODEL_EVENTS,
  ...EXECUTOR_EVENTS,
  ...PEOPLE_EVENTS,
  ...ROUTE_EVENTS,
  ...GROUP_EVENTS,
  ...GUARD_EVENTS,
  ...NOTE_EVENTS,
} as const;

export type EventType = keyof typeof EVENTS;
export type EventData<Type extends EventType> = z.infer<(typeof EVENTS)[Type]["data"]>;

/** An event of a run. `path` names the sub-workflows it happened in: `["plan", "build[3]"]`. */
export type RunEvent = {
  [Type in EventType]: {
    readonly seq: number;
    readonly ts: string;
    readonly type: Type;
    readonly run_id: string;
    readonly path: readonly string[];
    readonly data: EventData<Type>;
  };
}[EventType];

/** How a part of the program reports that something happened; the host numbers, times and records it. */
export type Emit = <Type extends EventType>(path: readonly string[], type: Type, data: EventData<Type>) => void;
