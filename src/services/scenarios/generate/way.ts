// The shortest way through a workflow to a step, edge by edge: which route, option or error leads from one to the next.
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import type { Route, Step } from "../../../language/schema/index.ts";

export type Leg =
  | { readonly by: "success"; readonly from: string; readonly index: number | null; readonly to: string }
  | { readonly by: "option"; readonly from: string; readonly value: string; readonly to: string }
  | { readonly by: "abort"; readonly from: string; readonly to: string }
  | {
      readonly by: "error";
      readonly from: string;
      readonly index: number;
      readonly table: "step" | "workflow";
      readonly to: string;
    };

/** Everything that leads away from a node. Error legs last: a way without trouble is the better one. */
function legsFrom(workflow: LoadedWorkflow, name: string): readonly Leg[] {
  const { definition } = workflow;
  const step = definition.agents.find((one) => one.name === name);
  const group = [...definition.parallel, ...definition.for_each].find((one) => one.name === name);
  const routes: readonly Route[] = step && "routes" in step ? step.routes : (group?.routes ?? []);
  const success = routes.flatMap((route, index): Leg[] =>
    route.on_error === undefined && route.to ? [{ by: "success", from: name, index, to: route.to }] : [],
  );
  const errors = routes.flatMap((route, index): Leg[] =>
    route.on_error !== undefined && route.to ? [{ by: "error", from: name, index, table: "step", to: route.to }] : [],
  );
  const defaults = definition.workflow.error_routes.flatMap((route, index): Leg[] =>
    route.to && route.to !== name ? [{ by: "error", from: name, index, table: "workflow", to: route.to }] : [],
  );
  return [...(step ? answers(step) : []), ...success, ...errors, ...defaults];
}

function answers(step: Step): readonly Leg[] {
  if (step.type === "human_gate")
    return step.options.flatMap(({ value, route }): Leg[] =>
      route ? [{ by: "option", from: step.name, value, to: route }] : [],
    );
  if (step.type === "questions" && step.allow_abort && step.abort_route)
    return [{ by: "abort", from: step.name, to: step.abort_route }];
  return [];
}

/** Ways to a step, shortest first, a few of them: the first may need a condition that cannot be met. */
export function waysTo(workflow: LoadedWorkflow, target: string, most = 6): readonly (readonly Leg[])[] {
  const entry = workflow.definition.workflow.entry_point;
  const found: (readonly Leg[])[] = [];
  const queue: { readonly at: string; readonly legs: readonly Leg[] }[] = [{ at: entry, legs: [] }];
  const entered = new Map<string, number>();
  for (let next = queue.shift(); next && found.length < most; next = queue.shift()) {
    if (next.at === target) {
      found.push(next.legs);
      continue;
    }
    const times = entered.get(next.at) ?? 0;
    if (times >= most) continue;
    entered.set(next.at, times + 1);
    const seen = new Set(next.legs.map((leg) => leg.from));
    for (const leg of legsFrom(workflow, next.at))
      if (leg.to !== "$end" && !seen.has(leg.to) && leg.to !== next.at)
        queue.push({ at: leg.to, legs: [...next.legs, leg] });
  }
  return found;
}
