// What is recorded of an attempt. Field by field on purpose: spreading one object into another costs more than all the
// rest of a step's event.
import type { EventData } from "../../events/registry.ts";
import type { Prepared, Visit } from "./prepare.ts";
import type { Member, Work } from "./work.ts";

/** Why what a step did in an earlier drive does not stand for what it would do now. */
export type Again = NonNullable<EventData<"agent_started">["again"]>;

export type Identity = Omit<EventData<"agent_reused">, "hash">;

export const identityOf = (work: Work, { key, member }: Visit, attempt: number): Identity =>
  inGroup<Identity>({ agent_name: work.name, agent_type: work.type, key, attempt }, member);

export function startedData(
  work: Work,
  { key, member }: Visit,
  attempt: number,
  iteration: number,
  again: Again | undefined,
): EventData<"agent_started"> {
  const data: EventData<"agent_started"> = {
    agent_name: work.name,
    agent_type: work.type,
    key,
    attempt,
    iteration,
  };
  if (again !== undefined) data.again = again;
  return inGroup(data, member);
}

/** `before`: the definition with which it ran in an earlier drive, if it did. */
export function completedData(
  work: Work,
  { key, member }: Visit,
  attempt: number,
  prepared: Prepared,
  /** Absent when it was told before. */
  definition: string | undefined,
  elapsed: number,
  /** What is inside a container has its own entries; only what templates read of it is kept here. */
  output: unknown,
  before: string | undefined,
): EventData<"agent_completed"> {
  const { name: agent_name, type: agent_type } = work;
  const data: EventData<"agent_completed"> = prepared.ok
    ? { agent_name, agent_type, key, attempt, elapsed, hash: prepared.hash, output }
    : { agent_name, agent_type, key, attempt, elapsed, output };
  if (definition !== undefined) data.definition = definition;
  if (before !== undefined && before !== prepared.definition) data.repaired = true;
  return inGroup(data, member);
}

/** Names the member that an event is about, if it is one. */
export function inGroup<Data extends { group?: string; item_key?: string }>(
  data: Data,
  member: Member | undefined,
): Data {
  if (!member) return data;
  data.group = member.group;
  if (member.item_key !== undefined) data.item_key = member.item_key;
  return data;
}
