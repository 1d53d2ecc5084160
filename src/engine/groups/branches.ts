// The branches of a group: one for each member or item, with the key that it has in the present round.
import { itemKey, memberKey } from "../../events/key.ts";
import type { Step } from "../../language/schema/index.ts";
import type { Names } from "../context/scope.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Group } from "../node.ts";
import type { Item } from "./items.ts";
import { roundOf } from "./rounds.ts";

export interface Branch {
  /** Name of the member, or key of the item. */
  readonly id: string;
  readonly index: number;
  readonly step: Step;
  readonly key: string;
  readonly locals: Names;
  /** How often it ran on this visit of the group already. */
  readonly ran: number;
}

export interface Rounds {
  /** How often this drive has entered the group on this visit. */
  readonly entered: number;
  /** Rounds that an earlier drive ended and did not get to run again. */
  readonly ended: number;
  /** How often each branch ran in the rounds of this drive. */
  readonly ran: ReadonlyMap<string, number>;
}

export function branchesOf(
  frame: WorkflowFrame,
  node: Group,
  items: readonly Item[] | null,
  visit: { readonly key: string; readonly locals: Names },
  rounds: Rounds,
): readonly Branch[] {
  const { key, locals } = visit;
  if (node.kind === "parallel")
    return node.group.agents.map((id, index) => ({
      id,
      index,
      step: stepOf(frame, id),
      locals,
      ...keyed(frame, key, id, (round) => memberKey(key, round, id), rounds),
    }));
  const { as, agent } = node.group;
  return (items ?? []).map(({ value, key: id }, index) => ({
    id,
    index,
    step: agent,
    locals: { ...locals, [as]: value, _index: index, _key: id },
    ...keyed(frame, key, id, (round) => itemKey(key, round, id, agent.name), rounds),
  }));
}

/** The key of a branch and how often it ran before. One that ended well in an earlier round stays there. */
function keyed(
  frame: WorkflowFrame,
  key: string,
  id: string,
  keyIn: (round: number) => string,
  { entered, ended, ran }: Rounds,
): Pick<Branch, "key" | "ran"> {
  const { recall } = frame.engine.durable;
  const present = roundOf(frame, key, entered + ended);
  const last = entered === 0 && frame.reuse ? recall.get(key)?.branches?.get(id) : undefined;
  const round = last?.ok ? last.round : present;
  const before = (earlier: number): number => recall.get(keyIn(earlier))?.attempts ?? 0;
  const counted = Array.from({ length: round - 1 }, (_, index) => before(index + 1));
  return { key: keyIn(round), ran: ran.get(id) ?? counted.reduce((sum, count) => sum + count, 0) };
}

function stepOf(frame: WorkflowFrame, name: string): Step {
  const node = frame.nodes.get(name);
  if (node?.kind !== "step") throw new Error(`${name} is not a step`);
  return node.step;
}
