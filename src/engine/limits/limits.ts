// `limits:` of a workflow. They stop the run; no route is asked.
import type { EventData } from "../../base/events/registry.ts";
import type { Stop } from "../ends.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { BudgetLimit } from "./purse.ts";

/** Whether so many more executions would be too many. Asked before every step, so it makes no promise. */
export const isAtIterationLimit = ({ context, maxIterations }: WorkflowFrame, more = 1): boolean =>
  context.executions + more > maxIterations;

/** What happens at the limit: at the root a person may allow more. */
export async function atIterationLimit(frame: WorkflowFrame, node: string, needed = 1): Promise<Stop | undefined> {
  const { context, engine } = frame;
  engine.durable.note(frame.path, "iteration_limit_reached", {
    current_iteration: context.executions,
    max_iterations: frame.maxIterations,
    agent_name: node,
    agent_history: [...context.latest],
  });
  await engine.durable.commit();
  const more = frame.depth === 0 ? await engine.moreIterations(context.executions) : 0;
  if (more > 0) {
    frame.maxIterations = context.executions + more;
    engine.durable.note(frame.path, "iteration_limit_resolved", { additional_iterations: more });
    return undefined;
  }
  return {
    type: "limit",
    errorType: "MaxIterationsError",
    message: `${usedUp(frame, node, needed)}. Raise limits.max_iterations${frame.depth === 0 ? "" : ` in ${frame.workflow.file}`}.`,
    node,
  };
}

const usedUp = ({ context, maxIterations }: WorkflowFrame, node: string, needed: number): string =>
  needed === 1
    ? `the workflow used up max_iterations: ${maxIterations} step executions, and ${node} would be the next`
    : `${node} has ${needed} members, and of max_iterations (${maxIterations} step executions) ${Math.max(0, maxIterations - context.executions)} are left`;

/** Counts what a call cost, for this workflow and for those that called it; records when a budget is used up by it. */
export function spend(
  frame: WorkflowFrame,
  node: string,
  { cost_usd, model = "a model" }: EventData<"agent_usage">,
): void {
  const { note } = frame.engine.durable;
  for (const { purse, path } of upwards(frame)) {
    if (!purse) continue;
    const { budgetUsd: budget_usd, mode: budget_mode } = purse;
    if (typeof cost_usd !== "number") {
      const message = `no price is known for ${model}, so limits.budget_usd does not hold for what it costs. Set cost.pricing.${model}.`;
      if (purse.recordUnpriced(model)) note(path, "warning", { node, message });
    } else if (purse.add(cost_usd))
      note(path, "budget_exceeded", { budget_usd, spent_usd: purse.spentUsd, budget_mode, agent_name: node });
  }
}

/** What may still be spent before an enforced budget, of this workflow or of one that called it, is used up. */
export function budgetLeftUsd(frame: WorkflowFrame): number | undefined {
  let least: number | undefined;
  for (const { purse } of upwards(frame))
    if (purse?.mode === "enforce")
      least = Math.min(least ?? Number.POSITIVE_INFINITY, purse.budgetUsd - purse.spentUsd);
  return least;
}

/** Stops every workflow, from here upwards, that has used up a budget that is enforced. */
export function enforceBudgets(frame: WorkflowFrame): void {
  for (let one: WorkflowFrame | undefined = frame; one; one = one.parent) one.purse?.enforce();
}

function* upwards(frame: WorkflowFrame): Iterable<WorkflowFrame> {
  for (let one: WorkflowFrame | undefined = frame; one; one = one.parent) yield one;
}

export const overBudget = ({ spentUsd, budgetUsd }: BudgetLimit, node: string | null): Stop => ({
  type: "limit",
  errorType: "BudgetExceededError",
  message: `the workflow has spent $${spentUsd.toFixed(4)}, more than limits.budget_usd ($${budgetUsd}), and budget_mode is enforce. Raise limits.budget_usd, then resume: what is done is not paid again.`,
  node,
});
