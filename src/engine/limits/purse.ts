// What one workflow has spent, held against its `limits.budget_usd`. What its children spend is in it too.
import type { WorkflowLimits } from "../../language/schema/workflow-section.ts";

/** Why a signal aborted when an enforced budget was used up. */
export class BudgetLimit extends Error {
  constructor(
    readonly spentUsd: number,
    readonly budgetUsd: number,
  ) {
    super(`$${spentUsd.toFixed(4)} was spent, and the budget is $${budgetUsd}`);
    this.name = "BudgetLimit";
  }
}

export class Purse {
  readonly #stop = new AbortController();
  readonly #unpriced = new Set<string>();
  #spent: number;
  #reported: number;

  constructor(
    readonly budgetUsd: number,
    readonly mode: WorkflowLimits["budget_mode"],
    spentBefore: number,
  ) {
    this.#spent = spentBefore;
    this.#reported = this.#multiples;
  }

  get spentUsd(): number {
    return this.#spent;
  }

  /** Aborts when the budget is used up and enforced. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** True when the budget, or a further multiple of it, is used up with this. */
  add(usd: number): boolean {
    this.#spent += usd;
    if (this.#multiples <= this.#reported) return false;
    this.#reported = this.#multiples;
    return true;
  }

  /** Remembers a model that has no price; true the first time. */
  recordUnpriced(model: string): boolean {
    const isFirst = !this.#unpriced.has(model);
    this.#unpriced.add(model);
    return isFirst;
  }

  enforce(): void {
    if (this.mode === "enforce" && this.#multiples > 0) this.#stop.abort(new BudgetLimit(this.#spent, this.budgetUsd));
  }

  /** How many times the budget was exceeded; to spend exactly all of it is not to exceed it. */
  get #multiples(): number {
    return Math.max(0, Math.ceil(this.#spent / this.budgetUsd - 1e-9) - 1);
  }
}
