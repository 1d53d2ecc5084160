// Where secrets stand in a text. Spans that touch or overlap are one; they are kept as plain numbers, so that a text that is
// full of secrets costs a few bytes for each and not an object.

export class Spans {
  readonly #bounds: number[] = [];
  #isSorted = true;

  get isEmpty(): boolean {
    return this.#bounds.length === 0;
  }

  /** From `start` to `end`, end exclusive. */
  add(start: number, end: number): void {
    const bounds = this.#bounds;
    const last = bounds.length - 2;
    if (last >= 0 && start >= bounds[last]! && start <= bounds[last + 1]!) {
      if (end > bounds[last + 1]!) bounds[last + 1] = end;
      return;
    }
    if (last >= 0 && start < bounds[last]!) this.#isSorted = false;
    bounds.push(start, end);
  }

  /** In order, none touching the next. */
  *[Symbol.iterator](): Generator<readonly [start: number, end: number]> {
    const bounds = this.#isSorted ? this.#bounds : this.#sorted();
    let [start, end] = [bounds[0] ?? 0, bounds[1] ?? 0];
    for (let at = 2; at < bounds.length; at += 2) {
      if (bounds[at]! <= end) end = Math.max(end, bounds[at + 1]!);
      else {
        yield [start, end];
        start = bounds[at]!;
        end = bounds[at + 1]!;
      }
    }
    if (bounds.length > 0) yield [start, end];
  }

  #sorted(): number[] {
    const bounds = this.#bounds;
    const order = Uint32Array.from({ length: bounds.length / 2 }, (_, index) => index);
    order.sort((a, b) => bounds[a * 2]! - bounds[b * 2]!);
    return Array.from(order).flatMap((index) => [bounds[index * 2]!, bounds[index * 2 + 1]!]);
  }
}
