// How often each retry route may still be used. A plain retry's budget belongs to one visit; that of `retry` + `to`
// lasts for the run.
import type { Recorded } from "../../events/visits/recall.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Decision, RetriesUsed, RouteRef } from "./routes.ts";

/** One number for a route, whichever table it is in. */
export const routeNumber = ({ index, table }: RouteRef): number => (table === "step" ? index : 1000 + index);

export class RetryBudget implements RetriesUsed {
  /** Made when there is something to count: most visits retry nothing. */
  #visit: Map<number, number> | undefined;

  constructor(
    readonly frame: WorkflowFrame,
    readonly node: string,
    recorded: Recorded | undefined,
  ) {
    for (const route in recorded?.spentRetries) this.#count(Number(route), recorded.spentRetries[Number(route)] ?? 0);
  }

  used(route: RouteRef, via: boolean): number {
    const number = routeNumber(route);
    return (via ? this.frame.via.get(`${this.node}:${number}`) : this.#visit?.get(number)) ?? 0;
  }

  #count(route: number, times: number): void {
    this.#visit ??= new Map();
    this.#visit.set(route, times);
  }

  /** Uses one retry, and says which one it is. */
  spend(decision: Decision & { action: "retry" }): number {
    const number = routeNumber(decision.route);
    const nth = this.used(decision.route, decision.via !== undefined) + 1;
    if (decision.via !== undefined) this.frame.via.set(`${this.node}:${number}`, nth);
    else this.#count(number, nth);
    return nth;
  }
}
