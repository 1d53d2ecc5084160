// Where the routes of a workflow are in its file, and what is recorded when one of them is taken. Loops ask for the same
// ones again and again, so both are made once.
import type { EventData } from "../../base/events/registry.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";

export class RouteRecords {
  readonly #lines = new Map<string, number>();
  readonly #taken = new Map<string, EventData<"route_taken">>();

  constructor(private readonly workflow: LoadedWorkflow) {}

  /** What is recorded when a step that went well takes one of its routes: the same each time, and frozen to say so. */
  taken(from: string, to: string, index: number): EventData<"route_taken"> {
    const name = `${index} ${from}`;
    let data = this.#taken.get(name);
    if (data?.to_agent !== to) {
      const route = { index, line: this.line(from, index) };
      data = Object.freeze({ from_agent: from, to_agent: to, route });
      this.#taken.set(name, data);
    }
    return data;
  }

  /** The line of a node's route. */
  line(node: string, index: number): number {
    const name = `${index} ${node}`;
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = this.workflow.positions.at([...this.workflow.pathOf(node), "routes", index]).line;
      this.#lines.set(name, line);
    }
    return line;
  }
}
