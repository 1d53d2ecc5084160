// range(…): a sequence that is computed, not stored.

import { Internal, type Kind } from "./value.ts";

export class Range extends Internal {
  readonly kind: Kind = "range";
  readonly length: number;

  constructor(
    readonly start: number,
    readonly stop: number,
    readonly step: number,
  ) {
    super();
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }

  at(index: number): number {
    return this.start + index * this.step;
  }

  includes(n: number): boolean {
    const index = (n - this.start) / this.step;
    return Number.isInteger(index) && index >= 0 && index < this.length;
  }

  *[Symbol.iterator](): IterableIterator<number> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  get text(): string {
    const step = this.step === 1 ? "" : `, ${this.step}`;
    return `range(${this.start}, ${this.stop}${step})`;
  }
}
