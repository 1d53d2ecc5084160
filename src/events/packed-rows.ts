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
    const last = before;
    const changed = Object.entries(thing).filter(([name, value]) => value !== last[name as keyof Thing]);
    const names = changed.map(([name]) => name);
    const known = names.join();
    if (!places.has(known)) places.set(known, shapes.push(names) - 1);
    before = thing;
    return [places.get(known) ?? 0, ...changed.map(([, value]) => value)];
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
