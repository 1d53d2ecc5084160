// `limits:` of a workflow. They stop the run; no route is asked.
import type { EventData } from "../../base/events/registry.ts";
import type { Stop } from "../ends.ts";
import type { WorkflowFrame } from "../frame.ts";
import { visitsByRetries } from "../via-budgets.ts";
import { loopText, loopThrough } from "./loop.ts";
import type { BudgetLimit } from "./purse.ts";
import type { ReachLimit } from "./reached.ts";

/** The limit that one more visit of a node would go beyond, if any. Asked before every step, so it makes no promise. */
export function limitAt(frame: WorkflowFrame, node: string, executions = 1): ReachLimit | undefined {
  if (isAtIterationLimit(frame, executions)) return "max_iterations";
  return visitsOf(frame, node) >= frame.maxVisits ? "max_visits" : undefined;
}

/** Whether so many more executions would be too many. */
export const isAtIterationLimit = ({ context, maxIterations }: WorkflowFrame, more = 1): boolean =>
  context.executions + more > maxIterations;

/** Retries by way of another step are no visits. That is looked at only where it matters. */
function visitsOf(frame: WorkflowFrame, node: string): number {
  const visits = frame.visits.get(node) ?? 0;
  return visits < frame.maxVisits ? visits : visits - visitsByRetries(frame, node);
}

/** What happens at a limit. Undefined if a person has allowed more. */
export async function atLimit(
  frame: WorkflowFrame,
  limit: ReachLimit,
  node: string,
  needed = 1,
): Promise<Stop | undefined> {
  const { context, engine, maxIterations: max_iterations, maxVisits: max_visits } = frame;
  const { executions } = context;
  const visits = visitsOf(frame, node);
  const loop = loopThrough(frame, node);
  engine.durable.note(frame.path, "iteration_limit_reached", {
    current_iteration: executions,
    ...(limit === "max_iterations" ? { max_iterations } : { visits, max_visits }),
    agent_name: node,
    agent_history: [...context.latest],
    ...(loop.length > 0 ? { loop: [...loop] } : {}),
  });
  await engine.durable.commit();
  const more = frame.depth === 0 ? await engine.allowMore({ limit, node, executions, visits }) : 0;
  if (more > 0) {
    if (limit === "max_iterations") frame.maxIterations = executions + more;
    else frame.maxVisits = frame.maxVisits + more;
    engine.durable.note(frame.path, "iteration_limit_resolved", {
      additional_iterations: more,
      ...(limit === "max_visits" ? { limit } : {}),
    });
    return undefined;
  }
  const raise = frame.depth === 0 ? "" : `. Raise limits.${limit} in ${frame.workflow.file}`;
  const used =
    limit === "max_visits" ? visitsUsedUp(frame, node) : iterationsUsedUp(frame, node, needed, loop.length > 0);
  return {
    type: "limit",
    errorType: limit === "max_visits" ? "MaxVisitsError" : "MaxIterationsError",
    message: `${loopText(loop)}${used}${raise}`,
    node,
  };
}

const visitsUsedUp = ({ maxVisits }: WorkflowFrame, node: string): string =>
  `limits.max_visits allows ${maxVisits} visits of a step, and ${node} would be visited once more`;

function iterationsUsedUp(
  { context, maxIterations }: WorkflowFrame,
  node: string,
  needed: number,
  isLoop: boolean,
): string {
  if (needed > 1)
    return `${node} has ${needed} members, and of max_iterations (${maxIterations} step executions) ${Math.max(0, maxIterations - context.executions)} are left`;
  const used = `used up max_iterations: ${maxIterations} step executions, and ${node} would be the next`;
  return isLoop ? `It ${used}` : `the workflow ${used}`;
}

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
