// `max_concurrent_tasks`: how many steps may run at a time.
import {
  allowed,
  denied,
  isRunning,
  numberOf,
  type Policy,
  type PolicyContext,
  type PolicyResult,
  skipped,
} from "../policy.ts";

/**
 * Denies when as many agents run as may. It only counts what it is shown; where two may start at once, the engine
 * reserves a slot first (see `slots` in governance.ts).
 *
 * @example new MaxConcurrentTasks({ max: 2 }).evaluate({ agent_states: { a: "running", b: "idle" } });
 */
export class MaxConcurrentTasks implements Policy {
  readonly name = "max_concurrent_tasks";
  readonly description: string;
  readonly max: number;

  constructor(settings?: { readonly max?: number }) {
    this.max = numberOf("MaxConcurrentTasks", "max", settings, 5);
    this.description = `At most ${this.max} steps run at a time.`;
  }

  evaluate({ agent_states }: PolicyContext): PolicyResult {
    if (!agent_states) return skipped(this.name, "agent_states");
    const running = Object.values(agent_states).filter(isRunning).length;
    const metadata = { running, max: this.max };
    if (running < this.max) return allowed(this.name, metadata);
    return denied(this.name, `${running} of at most ${this.max} steps are running`, metadata);
  }
}
