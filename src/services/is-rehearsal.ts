// A run that was made with a scenario is a rehearsal: nothing that follows real runs follows it.
import type { RunEvent } from "../events/registry.ts";
import type { RunReader } from "../hosts/run-reader.ts";

export async function isRehearsal(reader: Pick<RunReader, "events">): Promise<boolean> {
  const first = await firstStart(reader.events());
  return typeof first?.data.system.scenario === "string";
}

type Started = Extract<RunEvent, { readonly type: "workflow_started" }>;

/** It is among the first events: the rest is not read. */
async function firstStart(events: Iterable<RunEvent> | AsyncIterable<RunEvent>): Promise<Started | undefined> {
  for await (const event of events) if (event.type === "workflow_started") return event;
  return undefined;
}
