// `agent_availability`: an agent that is busy elsewhere, or known to be broken, is not asked.
import { allowed, denied, isRunning, type Policy, type PolicyContext, type PolicyResult, skipped } from "../policy.ts";

/**
 * Denies an agent that runs in another run, or whose last execution failed while its breaker is not closed.
 *
 * @example new AgentAvailability().evaluate({ agent_state: { running_in: ["01J8"], last_failed: false } });
 */
export class AgentAvailability implements Policy {
  readonly name = "agent_availability";
  readonly description = "An agent runs in one run at a time, and not while its breaker is open.";

  evaluate({ step, agent_state: state }: PolicyContext): PolicyResult {
    if (!state) return skipped(this.name, "agent_state");
    const who = step?.name ?? "the agent";
    if (typeof state === "string") {
      const isBusy = isRunning(state) || state.toLowerCase() === "failed";
      return isBusy ? denied(this.name, `${who} is ${state.toLowerCase()}`, { status: state }) : allowed(this.name);
    }
    const metadata = { ...state };
    if (state.running_in.length > 0)
      return denied(this.name, `${who} is running in another run: ${state.running_in.join(", ")}`, metadata);
    if (state.last_failed && state.breaker !== undefined && state.breaker !== "closed")
      return denied(this.name, `${who} failed last time, and its breaker is ${words(state.breaker)}`, metadata);
    return allowed(this.name);
  }
}

const words = (status: string): string => status.replace("_", "-");
