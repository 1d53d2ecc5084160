// Gates for certain people that were asked and not answered since, whatever ended the drive that asked: a limit, a deadline, a
// cancel. Only an answer closes one, or the workflow itself, where its own routes lead on without it.
import { isInside, withoutRounds } from "./key.ts";
import type { EventData, RunEvent } from "./registry.ts";

export class UnansweredGates {
  /** The step that asks, by key. */
  readonly #nodes: Map<string, string>;

  /** `asked`: those that the events before the first one left. */
  constructor(asked: Iterable<readonly [string, string]> = []) {
    this.#nodes = new Map(asked);
  }

  /** In the order in which they were asked first. */
  get all(): ReadonlyMap<string, string> {
    return this.#nodes;
  }

  add({ type, data }: RunEvent): void {
    switch (type) {
      case "gate_presented":
      case "questions_presented":
        // A container that is tried again asks anew: the question of its last round is the one that counts.
        for (const gate of this.#nodes.keys())
          if (withoutRounds(gate) === withoutRounds(data.key)) this.#nodes.delete(gate);
        if (isForCertainPeople(data)) this.#nodes.set(data.key, data.agent_name);
        break;
      case "gate_resolved":
      case "agent_completed":
      case "agent_reused":
      case "subworkflow_completed":
        this.#passed(data.key);
        break;
      case "parallel_completed":
      case "for_each_completed":
        if (!data.failed) this.#passed(data.key);
        break;
      case "error_routed":
        if (data.action === "to" && data.key !== undefined) this.#passed(data.key);
        break;
      default:
    }
  }

  /** The gate itself, or what it is in. */
  #passed(key: string): void {
    if (this.#nodes.size === 0) return;
    for (const gate of this.#nodes.keys()) if (gate === key || isInside(gate, key)) this.#nodes.delete(gate);
  }
}

const isForCertainPeople = ({ approvers, not_by, nor_by }: EventData<"gate_presented" | "questions_presented">) =>
  [approvers, not_by, nor_by].some((rule) => rule !== undefined);
