// `budget`: what a run may spend. Routable, so that a route may switch to a cheaper model.
import { allowed, denied, numberOf, type Policy, type PolicyContext, type PolicyResult, skipped } from "../policy.ts";

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
