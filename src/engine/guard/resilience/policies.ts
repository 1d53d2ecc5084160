// Segno's own policies: each looks at an attempt before it starts, and allows or denies it.
import {
  allowed,
  denied,
  numberOf,
  type Policy,
  type PolicyContext,
  type PolicyResult,
  skipped,
  stateStatus,
} from "./policy.ts";

/**
 * Denies a step when what was spent and what the step is expected to cost are more than the limit. An estimate that is
 * not known counts as 0, and the verdict says so.
 *
 * @example new SpendLimit({ usd: 5 }).evaluate({ spend: { usd: 4.8, estimate_usd: 0.3 } });
 */
export class SpendLimit implements Policy {
  readonly name = "budget";
  readonly description: string;
  readonly #limit: number;

  constructor(settings: { readonly usd: number }) {
    this.#limit = numberOf("SpendLimit", "usd", settings);
    this.description = `A run may spend $${this.#limit}.`;
  }

  evaluate({ spend }: PolicyContext): PolicyResult {
    if (!spend) return skipped(this.name, "spend");
    const estimate = spend.estimate_usd ?? 0;
    const metadata = {
      spent_usd: spend.usd,
      estimate_usd: spend.estimate_usd,
      limit_usd: this.#limit,
      ...(spend.estimate_usd === null ? { estimate: "unknown, taken as 0" } : {}),
    };
    if (spend.usd + estimate <= this.#limit) return allowed(this.name, metadata);
    const more = estimate > 0 ? ` and the step costs about $${shown(estimate)}` : "";
    return denied(this.name, `$${shown(spend.usd)} is spent${more}; the budget is $${this.#limit}`, metadata);
  }
}

const shown = (usd: number): string => (usd >= 1 ? usd.toFixed(2) : String(Number(usd.toPrecision(2))));

/**
 * Denies when as many agents run as may. It only counts what it is shown; where two may start at once, the engine
 * reserves a slot first (see `SlotPool` in guard/contract.ts).
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
    const running = Object.values(agent_states).filter((state) => stateStatus(state) === "running").length;
    const metadata = { running, max: this.max };
    if (running < this.max) return allowed(this.name, metadata);
    return denied(this.name, `${running} of at most ${this.max} steps are running`, metadata);
  }
}

export interface PhaseGateSettings {
  readonly min_success_rate?: number;
  /** The phases in order. Going back to an earlier one is no leaving. */
  readonly phases?: readonly string[];
}

/**
 * Denies the first step of a later phase when nothing of the present one completed, or too little of it.
 *
 * @example
 * new PhaseGate({ min_success_rate: 0.8, phases: ["build", "ship"] }).evaluate({
 *   step: { name: "publish", type: "script", phase: "ship" },
 *   workflow_state: { phase: "build", completed: 3, failed: 1 },
 * });
 */
export class PhaseGate implements Policy {
  readonly name = "phase_gate";
  readonly description: string;
  readonly #rate: number;
  readonly #phases: readonly string[];

  constructor(settings?: PhaseGateSettings) {
    this.#rate = numberOf("PhaseGate", "min_success_rate", settings, 0.8);
    this.#phases = settings?.phases ?? [];
    this.description = `A phase is left when at least ${percent(this.#rate)} of it went well.`;
  }

  evaluate({ step, workflow_state: state }: PolicyContext): PolicyResult {
    if (!state) return skipped(this.name, "workflow_state");
    const [from, to] = [state.phase, step?.phase];
    // A step is judged only where it leaves a phase; without a step the state alone is judged.
    if (step && from === undefined) return skipped(this.name, "workflow_state.phase");
    if (step && to === undefined) return skipped(this.name, "step.phase");
    if (from !== undefined && to !== undefined && !this.#leaves(from, to)) return allowed(this.name);
    const { completed, failed } = state;
    const all = completed + failed;
    const rate = all === 0 ? 0 : completed / all;
    const metadata = {
      ...(from === undefined ? {} : { phase: from }),
      ...(to === undefined ? {} : { next: to }),
      completed,
      failed,
      success_rate: rate,
      min_success_rate: this.#rate,
    };
    if (completed > 0 && rate >= this.#rate) return allowed(this.name, metadata);
    const where = from === undefined ? "" : ` ${completed === 0 ? "of" : "in"} the phase ${from}`;
    const why =
      completed === 0
        ? `nothing${where} completed`
        : `${completed} of ${all}${where} completed (${percent(rate)}), and ${percent(this.#rate)} are needed`;
    return denied(this.name, to === undefined ? why : `${why} before ${to} may begin`, metadata);
  }

  #leaves(from: string, to: string): boolean {
    const [present, next] = [this.#phases.indexOf(from), this.#phases.indexOf(to)];
    return from !== to && (present < 0 || next < 0 || next > present);
  }
}

const percent = (rate: number): string => `${Math.round(rate * 1000) / 10} %`;

/**
 * Denies a timeout that is not above 0, or above the limit. A step without one is not judged.
 *
 * @example new TaskTimeout({ max_seconds: 600 }).evaluate({ task: { timeout: 601 } });
 */
export class TaskTimeout implements Policy {
  readonly name = "task_timeout";
  readonly description: string;
  readonly maxSeconds: number;

  constructor(settings?: { readonly max_seconds?: number }) {
    this.maxSeconds = numberOf("TaskTimeout", "max_seconds", settings, 3600);
    this.description = `No step may have a timeout above ${this.maxSeconds} s.`;
  }

  evaluate({ task }: PolicyContext): PolicyResult {
    const timeout = task?.timeout ?? undefined;
    if (timeout === undefined) return skipped(this.name, "task.timeout");
    const metadata = { timeout, max_seconds: this.maxSeconds };
    if (timeout > 0 && timeout <= this.maxSeconds) return allowed(this.name, metadata);
    const bound = timeout > 0 ? `above the ${this.maxSeconds} s that are allowed` : "not above 0";
    return denied(this.name, `the timeout of ${timeout} s is ${bound}`, metadata);
  }
}

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
    if (typeof state === "string" || "status" in state) {
      const status = stateStatus(state);
      const isBusy = status === "running" || status === "failed";
      return isBusy ? denied(this.name, `${who} is ${status}`, { status }) : allowed(this.name);
    }
    if (!("running_in" in state)) return skipped(this.name, "agent_state.status");
    const metadata = { ...state };
    if (state.running_in.length > 0)
      return denied(this.name, `${who} is running in another run: ${state.running_in.join(", ")}`, metadata);
    if (state.last_failed && state.breaker !== undefined && state.breaker !== "closed")
      return denied(this.name, `${who} failed last time, and its breaker is ${words(state.breaker)}`, metadata);
    return allowed(this.name);
  }
}

const words = (status: string): string => status.replace("_", "-");
