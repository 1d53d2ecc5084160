// Sequences that only templates have: ranges, generators, and lists that a template made.

import { spend, spendItems } from "../limits.ts";
import { Internal, type Kind, type Value } from "./value.ts";

/** range(…): a sequence that is computed, not stored. */
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

// What `map`, `select` and their kind give in Jinja2: something to walk through once.
// It has no length and no items, which is why templates say `| list` after it.

export class Generator extends Internal {
  readonly kind: Kind = "generator";
  private readonly source: Iterator<Value>;

  constructor(items: Iterable<Value>) {
    super();
    this.source = items[Symbol.iterator]();
  }

  /** Continues where the last walk stopped. */
  [Symbol.iterator](): Iterator<Value> {
    return { next: () => this.source.next() };
  }
}

/** `keys()`, `values()` and `items()` of a mapping: live, countable, without items. */
export class View extends Internal {
  readonly kind: Kind = "view";
  constructor(
    readonly what: "keys" | "values" | "items",
    readonly items: () => Value[],
  ) {
    super();
  }
}

// Lists made by a template may be changed by it (`{% do xs.append(1) %}`); lists that
// were handed in may not, because they belong to the run. A mark on the array tells them
// apart; it does not leave the engine. (A WeakSet did the same and was ten times slower.)

const MADE: unique symbol = Symbol("made by the template");

/** Marks a new array as the template's own. */
export function list(items: Value[]): Value[] {
  spend(3);
  spendItems(items.length);
  (items as { [MADE]?: true })[MADE] = true;
  return items;
}

export const isOwnList = (items: readonly Value[]): boolean => (items as { [MADE]?: true })[MADE] === true;
