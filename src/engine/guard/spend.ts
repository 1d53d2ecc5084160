// What a run has spent so far in this drive, in all and for each step: the basis of the `budget` policy's estimates.
import type { EventData } from "../../events/registry.ts";

export class Spend {
  usd = 0;
  readonly #steps = new Map<string, { usd: number; executions: number }>();

  add(step: string, { cost_usd }: Pick<EventData<"agent_usage">, "cost_usd">): void {
    this.usd += cost_usd ?? 0;
    this.#entry(step).usd += cost_usd ?? 0;
  }

  executed(step: string): void {
    this.#entry(step).executions += 1;
  }

  /** A step's own average so far; null when it has not run, or costs nothing that is known. */
  estimate(step: string): number | null {
    const known = this.#steps.get(step);
    return known && known.executions > 0 && known.usd > 0 ? known.usd / known.executions : null;
  }

  #entry(step: string): { usd: number; executions: number } {
    const known = this.#steps.get(step) ?? { usd: 0, executions: 0 };
    this.#steps.set(step, known);
    return known;
  }
}
