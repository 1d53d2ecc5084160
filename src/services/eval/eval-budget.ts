// What is left of an eval's budget. Each row takes its part before it starts and is held to it, so that rows side by side do
// not spend the same dollar twice.
import type { EvalRow } from "./summary.ts";

/** So many times the most expensive row so far must be free for the next one to run beside others. */
const ROOM = 2;

export class EvalBudget {
  readonly #usd: number;
  readonly #parallel: number;
  #spent = 0;
  #taken = 0;
  #underWay = 0;
  #ended = 0;
  /** What a row has cost at most, and its judges. */
  #most = 0;
  #mostGrading = 0;
  #waiting: (() => void)[] = [];

  constructor(usd: number, parallel: number, rows: readonly EvalRow[]) {
    this.#usd = usd;
    this.#parallel = parallel;
    for (const row of rows) this.#count(row);
  }

  /** A part of it for the next row, as soon as there is one; 0 or less: it is used up. */
  async take(): Promise<number> {
    for (let part = this.#part(); ; part = this.#part()) {
      if (part !== undefined) {
        this.#taken += part;
        this.#underWay += 1;
        return part;
      }
      await new Promise<void>((wake) => this.#waiting.push(wake));
    }
  }

  /** What a run with this part may cost: its judges are paid from the same. */
  capOf(part: number): number {
    return roundUsd(part > this.#mostGrading ? part - this.#mostGrading : part);
  }

  /** Gives back what was not used. */
  end(part: number, row: EvalRow | undefined): void {
    this.#taken -= part;
    this.#underWay -= 1;
    if (row) this.#count(row);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The first row runs alone, and so does one for which there is not room enough beside others. */
  #part(): number | undefined {
    const free = roundUsd(this.#usd - this.#spent - this.#taken);
    const part = Math.max(free / Math.max(1, this.#parallel - this.#underWay), ROOM * this.#most);
    if (this.#ended > 0 && part > 0 && part <= free) return part;
    return this.#underWay === 0 ? free : undefined;
  }

  #count({ cost_usd, grading_usd }: EvalRow): void {
    const cost = (cost_usd ?? 0) + grading_usd;
    this.#spent += cost;
    this.#ended += 1;
    this.#most = Math.max(this.#most, cost);
    this.#mostGrading = Math.max(this.#mostGrading, grading_usd);
  }
}

/** Sums of cents in binary have a tail of digits without meaning. */
const roundUsd = (usd: number): number => Number(usd.toFixed(6));
