// What `map`, `select` and their kind give in Jinja2: something to walk through once.
// It has no length and no items, which is why templates say `| list` after it.

import { Internal, type Kind, type Value } from "./value.ts";

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
