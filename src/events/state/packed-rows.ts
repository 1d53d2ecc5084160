// Many things that are much alike as JSON: of each only what is not as in the one before it, without the fields' names.

/** The place of its shape, then the values of the shape's fields. */
export type PackedRow = readonly [shape: number, ...values: unknown[]];

export interface PackedRows {
  /** Lists of names of fields. */
  readonly shapes: readonly (readonly string[])[];
  readonly rows: readonly PackedRow[];
}

/** `blank` is what the first is compared with. */
export function packRows<Thing extends object>(things: readonly Thing[], blank: Thing): PackedRows {
  const places = new Map<string, number>();
  const shapes: (readonly string[])[] = [];
  let before = blank;
  const rows = things.map((thing): PackedRow => {
    const names: string[] = [];
    const row: [number, ...unknown[]] = [0];
    // Field by field, without lists in between: keyframes of a long run pack a hundred thousand of these.
    for (const name in thing) {
      const value = thing[name];
      if (value === before[name]) continue;
      names.push(name);
      row.push(value);
    }
    const known = names.join();
    let place = places.get(known);
    if (place === undefined) {
      place = shapes.push(names) - 1;
      places.set(known, place);
    }
    row[0] = place;
    before = thing;
    return row;
  });
  return { shapes, rows };
}

export function unpackRows<Thing extends object>({ shapes, rows }: PackedRows, blank: Thing): readonly Thing[] {
  let before = blank;
  return rows.map(([shape, ...values]) => {
    const names = shapes[shape] ?? [];
    before = { ...before, ...Object.fromEntries(names.map((name, index) => [name, values[index]])) };
    return before;
  });
}
