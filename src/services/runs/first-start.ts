// How a run began, without reading the rest of it.
import type { EventData, RunEvent } from "../../events/registry.ts";
import type { RunReader } from "../../hosts/run-reader.ts";

/** It is among the first events: the rest is not read. */
async function firstStart(reader: Pick<RunReader, "events">): Promise<EventData<"workflow_started"> | undefined> {
  const events: Iterable<RunEvent> | AsyncIterable<RunEvent> = reader.events();
  for await (const event of events) if (event.type === "workflow_started") return event.data;
  return undefined;
}

/** A run that was made with a scenario is a rehearsal: nothing that follows real runs follows it. */
export const isRehearsal = async (reader: Pick<RunReader, "events">): Promise<boolean> =>
  typeof (await firstStart(reader))?.system.scenario === "string";

/** The person who started a run, or who set off the trigger that did; nothing when no person did. */
export async function personWhoStarted(reader: Pick<RunReader, "events">): Promise<string | undefined> {
  const { fired_by, started_by } = (await firstStart(reader)) ?? {};
  return fired_by ?? (started_by?.startsWith(BY_TRIGGER) ? undefined : started_by);
}

export const BY_TRIGGER = "trigger:";
