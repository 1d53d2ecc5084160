// `limits:` of a workflow. They stop the run; no route is asked.
import type { Stop } from "./ends.ts";
import type { Frame } from "./frame.ts";

/** Whether the next execution would be one too many. At the root a person may allow more. */
export async function atIterationLimit(frame: Frame, node: string): Promise<Stop | undefined> {
  const { context, engine } = frame;
  if (context.iteration < frame.maxIterations) return undefined;
  engine.durable.note(frame.path, "iteration_limit_reached", {
    current_iteration: context.iteration,
    max_iterations: frame.maxIterations,
    agent_name: node,
    agent_history: context.history.slice(-20),
  });
  engine.durable.commit();
  const more = frame.depth === 0 ? await engine.moreIterations(context.iteration) : 0;
  if (more > 0) {
    frame.maxIterations = context.iteration + more;
    engine.durable.note(frame.path, "iteration_limit_resolved", { additional_iterations: more });
    return undefined;
  }
  return {
    type: "limit",
    errorType: "MaxIterationsError",
    message: `the workflow used up max_iterations: ${frame.maxIterations} step executions, and ${node} would be the next. Raise limits.max_iterations, or go on with --max-iterations.`,
    node,
  };
}
