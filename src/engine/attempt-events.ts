// What is recorded of an attempt. Field by field on purpose: spreading one object into another costs more than all the
// rest of a step's event. A field without a value is left out when it is written.
import type { EventData } from "../events/registry.ts";
import type { Prepared, Visit } from "./prepare.ts";
import type { Work } from "./work.ts";

export type Identity = Omit<EventData<"agent_reused">, "hash">;

export const identityOf = (work: Work, { key, member }: Visit, attempt: number): Identity => ({
  agent_name: work.name,
  agent_type: work.type,
  key,
  attempt,
  group: member?.group,
  item_key: member?.item_key,
});

export const startedData = (of: Identity, iteration: number): EventData<"agent_started"> => ({
  agent_name: of.agent_name,
  agent_type: of.agent_type,
  key: of.key,
  attempt: of.attempt,
  group: of.group,
  item_key: of.item_key,
  iteration,
});

/** `before`: the definition with which it ran in an earlier drive, if it did. */
export const completedData = (
  of: Identity,
  prepared: Prepared,
  elapsed: number,
  output: unknown,
  before: string | undefined,
): EventData<"agent_completed"> => ({
  agent_name: of.agent_name,
  agent_type: of.agent_type,
  key: of.key,
  attempt: of.attempt,
  group: of.group,
  item_key: of.item_key,
  elapsed,
  hash: prepared.ok ? prepared.hash : undefined,
  definition: prepared.definition,
  // What is inside a container has its own entries; only what templates read of it is kept here.
  output,
  repaired: before !== undefined && before !== prepared.definition ? true : undefined,
});
