// The branches of a group: one for each member or item, with its key in the present round. A plain retry of a group is
// a new round; a resume continues the round that it finds, so that no completed branch runs again.
import { itemKey, memberKey, passKey } from "../../base/events/key.ts";
import type { Recorded } from "../../base/events/visits/recall.ts";
import type { Step } from "../../language/schema/index.ts";
import type { Names } from "../context/scope.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Group } from "../visit/work.ts";
import type { Item } from "./items.ts";

/** The present round of a container that this drive has entered so many times before on this visit. */
export const roundOf = (frame: WorkflowFrame, key: string, entered: number): number =>
  1 + (frame.engine.durable.recall.get(key)?.retried ?? 0) + entered;

export interface Branch {
  /** Name of the member, or key of the item. */
  readonly id: string;
  readonly index: number;
  readonly step: Step;
  readonly key: string;
  /** Those that it had in the rounds of this visit, up to this one. */
  readonly keys: readonly string[];
  readonly locals: Names;
  /** How often it ran on this visit of the group already. */
  readonly ran: number;
  /** The group is another one than was recorded, and this is a later round of that: what failed in it does not count. */
  readonly isAnew: boolean;
}

export interface Rounds {
  /** How often this drive has entered the group on this visit. */
  readonly entered: number;
  /** Rounds that an earlier drive ended and did not get to run again. */
  readonly ended: number;
  /** How often each branch ran in the rounds of this drive. */
  readonly ran: ReadonlyMap<string, number>;
  /** What its branches did in earlier drives does not count. */
  readonly isAnew?: boolean;
  /** `context.iteration` when the group was come to; left out: as it is. */
  readonly iteration?: number;
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
    // A member that is listed twice runs once: its output has one place.
    return [...new Set(node.group.agents)].map((id, index) => ({
      id,
      index,
      step: stepOf(frame, id),
      ...keyed(frame, key, id, (round) => memberKey(key, round, id), rounds, locals),
    }));
  const { as, agent } = node.group;
  return (items ?? []).map(({ value, key: id }, index) => ({
    id,
    index,
    step: agent,
    ...keyed(frame, key, id, (round) => itemKey(key, round, id, agent.name), rounds, {
      ...locals,
      [as]: value,
      _index: index,
      _key: id,
    }),
  }));
}

/** One that ended well in an earlier round stays there, and sees the context as it was then. */
function keyed(
  frame: WorkflowFrame,
  key: string,
  id: string,
  keyIn: (round: number) => string,
  { entered, ended, ran, isAnew = false, iteration = frame.context.iteration }: Rounds,
  locals: Names,
): Pick<Branch, "key" | "keys" | "ran" | "isAnew" | "locals"> {
  const { recall } = frame.engine.durable;
  const present = roundOf(frame, key, entered + ended);
  const { branches, roundsOver = 0 } = recall.get(key) ?? {};
  const last = entered === 0 && frame.reuse ? branches?.get(id) : undefined;
  const round = last?.ok ? last.round : present;
  const keys = Array.from({ length: round }, (_, index) => keyIn(index + 1)).slice(roundsOver);
  const before = isAnew || !frame.reuse ? [] : keys.slice(0, -1).flatMap((earlier) => passesOf(frame, earlier));
  const roundsSince = Math.min(present - round, frame.context.iteration - iteration);
  return {
    key: keyIn(round),
    keys,
    isAnew: isAnew && entered === 0 && keys.length > 1,
    ran: ran.get(id) ?? before.reduce((sum, { attempts }) => sum + attempts, 0),
    locals: roundsSince > 0 ? { ...locals, context: frame.context.before(roundsSince) } : locals,
  };
}

/** What is recorded of a branch in one round: it may have been retried by way of another step. */
export function passesOf({ engine }: WorkflowFrame, key: string): readonly Recorded[] {
  const passes: Recorded[] = [];
  for (;;) {
    const recorded = engine.durable.recall.get(passKey(key, passes.length + 1));
    if (!recorded) return passes;
    passes.push(recorded);
  }
}

function stepOf(frame: WorkflowFrame, name: string): Step {
  const node = frame.nodes.get(name);
  if (node?.kind !== "step") throw new Error(`${name} is not a step`);
  return node.step;
}
