// `phase_gate`: enough of a phase must have gone well before it is left.
import { allowed, denied, numberOf, type Policy, type PolicyContext, type PolicyResult, skipped } from "../policy.ts";

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
    if (from === undefined) return skipped(this.name, "workflow_state.phase");
    if (to === undefined) return skipped(this.name, "step.phase");
    if (!this.#leaves(from, to)) return allowed(this.name);
    const { completed, failed } = state;
    const rate = completed + failed === 0 ? 0 : completed / (completed + failed);
    const metadata = { phase: from, next: to, completed, failed, success_rate: rate, min_success_rate: this.#rate };
    if (completed > 0 && rate >= this.#rate) return allowed(this.name, metadata);
    const why =
      completed === 0
        ? `nothing of the phase ${from} completed`
        : `${completed} of ${completed + failed} in the phase ${from} completed (${percent(rate)}), and ${percent(this.#rate)} are needed`;
    return denied(this.name, `${why} before ${to} may begin`, metadata);
  }

  #leaves(from: string, to: string): boolean {
    const [present, next] = [this.#phases.indexOf(from), this.#phases.indexOf(to)];
    return from !== to && (present < 0 || next < 0 || next > present);
  }
}

const percent = (rate: number): string => `${Math.round(rate * 1000) / 10} %`;
