// How often each retry route may still be used. A plain retry's budget belongs to one visit; that of `retry` + `to`
// lasts for the run.
import { matches, type Selector } from "../../errors/index.ts";
import { POLICY_ROUTE } from "../../events/policy-route.ts";
import type { Recorded, UsedByMember } from "../../events/visits/recall.ts";
import type { Route } from "../../language/schema/index.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Decision, RetriesUsed, RouteRef } from "./routes.ts";
import type { Work } from "./work.ts";

/** One number for a route, whichever table it is in. */
export const routeNumber = ({ index, table }: RouteRef): number => (table === "step" ? index : 1000 + index);

const viaBudget = (node: string, route: number): string => `${node}:${route}`;

export class RetryBudget implements RetriesUsed {
  /** Made when there is something to count: most visits retry nothing. */
  #visit: Map<number, number> | undefined;

  constructor(
    readonly frame: WorkflowFrame,
    readonly work: Pick<Work, "name" | "routes">,
    recorded: Recorded | undefined,
  ) {
    if (!recorded) return;
    for (const [text, times] of Object.entries(recorded.spentRetries)) {
      // Those of a policy are counted there.
      if (Number(text) !== POLICY_ROUTE) this.#countRecorded(recorded, Number(text), times);
    }
  }

  #countRecorded({ retriedKinds }: Recorded, recordedAs: number, times: number): void {
    const route = this.#placeOf(recordedAs, retriedKinds?.[recordedAs]);
    this.#count(route, times + (this.#visit?.get(route) ?? 0));
  }

  /** What the last failure was answered with is decided again. */
  giveBack(recorded: Recorded): void {
    const { answeredWith } = recorded;
    if (answeredWith?.by === "route" && answeredWith.via === undefined)
      this.#countRecorded(recorded, answeredWith.route, -1);
  }

  /** Where a retry route stands now: where it stood, or else the first that would have taken the error. */
  #placeOf(number: number, kind: string | undefined): number {
    const { work, frame } = this;
    const takes = ({ on_error, retry, to }: Route): boolean =>
      retry !== undefined && to === undefined && kind !== undefined && matches(on_error as Selector, kind);
    const tables = { step: work.routes, workflow: frame.defaults } as const;
    const places = (["step", "workflow"] as const).flatMap((table) =>
      tables[table].flatMap((route, index) => (takes(route) ? [routeNumber({ index, table })] : [])),
    );
    return places.includes(number) ? number : (places[0] ?? number);
  }

  used(route: RouteRef, via: boolean): number {
    const number = routeNumber(route);
    return (via ? this.frame.via.get(viaBudget(this.work.name, number)) : this.#visit?.get(number)) ?? 0;
  }

  #count(route: number, times: number): void {
    this.#visit ??= new Map();
    this.#visit.set(route, times);
  }

  /** Uses one retry, and says which one it is. */
  spend(decision: Decision & { action: "retry" }): number {
    const number = routeNumber(decision.route);
    const nth = this.used(decision.route, decision.via !== undefined) + 1;
    if (decision.via !== undefined) this.frame.via.set(viaBudget(this.work.name, number), nth);
    else this.#count(number, nth);
    return nth;
  }
}

/** Of members whose visits this drive does not come to again. */
export function countUsed({ context, via: budgets }: WorkflowFrame, members: readonly UsedByMember[]): void {
  for (const { node, executions, via } of members) {
    context.execute(executions);
    for (const route of via) {
      const budget = viaBudget(node, route);
      budgets.set(budget, (budgets.get(budget) ?? 0) + 1);
    }
  }
}
