// What is recorded of an attempt. Field by field on purpose: spreading one object into another costs more than all the
// rest of a step's event.
import type { EventData } from "../../events/registry.ts";
import type { Visit } from "../frame.ts";
import type { AttemptUnderWay } from "./attempt-under-way.ts";
import type { Member } from "./work.ts";

export type Identity = Omit<EventData<"agent_reused">, "hash">;

export const attemptIdentity = ({ work, key, member }: Visit, attempt: number): Identity =>
  inGroup<Identity>({ agent_name: work.name, agent_type: work.type, key, attempt }, member);

export function startedData({ visit, number, rerun }: AttemptUnderWay): EventData<"agent_started"> {
  const { frame, work, key, member } = visit;
  const data: EventData<"agent_started"> = {
    agent_name: work.name,
    agent_type: work.type,
    key,
    attempt: number,
    iteration: frame.context.executions,
  };
  if (rerun !== undefined) data.again = rerun;
  return inGroup(data, member);
}

/** Of a container only what templates read of it is the output: what is inside has its own entries. */
export function completedData(
  { visit, prepared, number: attempt, isRepaired }: AttemptUnderWay,
  elapsed: number,
  output: unknown,
): EventData<"agent_completed"> {
  const { frame, work, key, member } = visit;
  const { name: agent_name, type: agent_type } = work;
  const data: EventData<"agent_completed"> = prepared.ok
    ? { agent_name, agent_type, key, attempt, elapsed, hash: prepared.hash, output }
    : { agent_name, agent_type, key, attempt, elapsed, output };
  const definition = frame.definitions.recordOnce(agent_name, prepared.definition);
  if (definition !== undefined) data.definition = definition;
  if (isRepaired) data.repaired = true;
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
