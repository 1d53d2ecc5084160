// The loop that a workflow was in when it came to a limit: people change its routes, not the limit.
import type { WorkflowFrame } from "../frame.ts";

/** How often a step of the loop ran, retries included. A type, not an interface: it is recorded as plain data. */
export type LoopStep = { readonly node: string; readonly ran: number };

/** The steps of the loop that leads to `next`, in their order. Empty if no step ran twice. */
export function loopThrough({ context, visits }: WorkflowFrame, next: string): readonly LoopStep[] {
  const { history } = context;
  const ran = (node: string): number =>
    // Of a very long run the beginning of the history is not kept; the visits are.
    Math.max(
      visits.get(node) ?? 0,
      history.reduce((count, one) => count + (one === node ? 1 : 0), 0),
    );
  const steps = lastTurn(history, next);
  return [...new Set(steps)].map((node) => ({ node, ran: ran(node) }));
}

/** What ran since `next` ran last; if it has not run yet, the last stretch between two runs of one step. */
function lastTurn(history: readonly string[], next: string): readonly string[] {
  const since = history.lastIndexOf(next);
  if (since >= 0) return history.slice(since);
  for (let end = history.length - 1; end > 0; end -= 1) {
    const start = history.lastIndexOf(history[end]!, end - 1);
    if (start >= 0) return history.slice(start, end);
  }
  return [];
}

/** @example "fix → check → fix is a loop that did not end: fix ran 5 times, check 4 times. " */
export function loopText(loop: readonly LoopStep[]): string {
  const [first, ...others] = loop;
  if (!first) return "";
  const ran = [`${first.node} ran ${times(first.ran)}`, ...others.map((step) => `${step.node} ${times(step.ran)}`)];
  if (others.length === 0) return `${ran[0]}, and came back to itself each time. `;
  const way = [...loop.map(({ node }) => node), first.node].join(" → ");
  return `${way} is a loop that did not end: ${ran.join(", ")}. `;
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
