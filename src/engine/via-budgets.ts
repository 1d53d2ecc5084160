// Budgets of retries by way of another step (`retry` with `to`): they last for the run of a workflow, and are kept by step
// and route in `WorkflowFrame.via`.
import type { Route } from "../language/schema/index.ts";
import type { WorkflowFrame } from "./frame.ts";

const DEFAULT_ROUTES = 1000;

/** One number for a route, whichever table it is in. */
export const routeNumber = ({
  index,
  table,
}: {
  readonly index: number;
  readonly table: "step" | "workflow";
}): number => (table === "step" ? index : DEFAULT_ROUTES + index);

export const viaBudget = (node: string, route: number): string => `${node}:${route}`;

/** How many visits of a node were such retries: of the step that is retried, or of the other one. */
export function visitsByRetries(frame: WorkflowFrame, name: string): number {
  let count = 0;
  for (const [budget, used] of frame.via) {
    const [, node = "", number = ""] = /^(.*):(\d+)$/s.exec(budget) ?? [];
    if (node === name || routeBy(frame, node, Number(number))?.to === name) count += used;
  }
  return count;
}

function routeBy({ defaults, nodes }: WorkflowFrame, node: string, number: number): Route | undefined {
  if (number >= DEFAULT_ROUTES) return defaults[number - DEFAULT_ROUTES];
  const found = nodes.get(node);
  if (!found) return undefined;
  const owner = found.kind === "step" ? found.step : found.group;
  return "routes" in owner ? owner.routes[number] : undefined;
}
