// Packs many similar objects as JSON: of each only the fields that differ from the one before it, without their names.
import { itemKey } from "../key.ts";

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

// The items of a for_each as they stand one after the other in a packed state: their keys and numbers follow from the
// group and from the one before, and are said only where they do not.

interface Item {
  readonly name: string;
  readonly owner: number | null;
  key: string | null;
  itemKey: string | null;
  index: number | null;
}

/** Fields of the same names, shorter: what follows from others is `FOLLOWS`, and `index` is how far it is from the last one. */
export type ShortItem<Thing extends Item> = Omit<Thing, "key" | "itemKey"> & {
  key: string | null | typeof FOLLOWS;
  itemKey: string | null | typeof FOLLOWS;
};

const FOLLOWS = 0;

type GroupAt = (place: number) => { readonly key: string; readonly rounds: number } | undefined;

/** Changes them in place: of a long run there are millions on the way to its keyframes. */
export function shortenItems<Thing extends Item>(
  things: readonly Thing[],
  groupAt: GroupAt,
): readonly ShortItem<Thing>[] {
  let last = 0;
  for (const thing of things as readonly (Thing & ShortItem<Thing>)[]) {
    const { itemKey: item, index } = thing as Item;
    if (item === null) continue;
    if (thing.key === keyOfItem(thing, item, groupAt)) thing.key = FOLLOWS as never;
    if (index === null) continue;
    if (item === String(index)) thing.itemKey = FOLLOWS as never;
    thing.index = index - last;
    last = index;
  }
  return things as readonly (Thing & ShortItem<Thing>)[];
}

export function lengthenItems<Thing extends Item>(
  things: readonly ShortItem<Thing>[],
  groupAt: GroupAt,
): readonly Thing[] {
  let last = 0;
  return things.map((thing) => {
    if (thing.itemKey === null) return thing as Thing & ShortItem<Thing>;
    const index = thing.index === null ? null : last + thing.index;
    if (index !== null) last = index;
    const item = thing.itemKey === FOLLOWS ? String(index) : thing.itemKey;
    const key = thing.key === FOLLOWS ? keyOfItem(thing, item, groupAt) : thing.key;
    return { ...thing, index, itemKey: item, key } as Thing & ShortItem<Thing>;
  });
}

function keyOfItem({ name, owner }: Pick<Item, "name" | "owner">, item: string, groupAt: GroupAt): string | null {
  const group = owner === null ? undefined : groupAt(owner);
  return group ? itemKey(group.key, group.rounds + 1, item, name) : null;
}

// A map to nodes as JSON. Most of its names are the nodes' own, and its nodes stand in a row: then the row is enough.

type Index = number;

/** One node by its own name, a row of such (first and last), or one by another name. */
export type PackedPlace = Index | readonly [Index, Index] | readonly [string, Index];

export function packPlaces<Node>(
  nodes: ReadonlyMap<string, Node>,
  ownName: (node: Node) => string | null,
  placeOf: (node: Node) => Index,
): readonly PackedPlace[] {
  const packed: PackedPlace[] = [];
  for (const [name, node] of nodes) {
    const place = placeOf(node);
    const before = packed.at(-1);
    if (ownName(node) !== name) packed.push([name, place]);
    else if (typeof before === "number" && before === place - 1) packed[packed.length - 1] = [before, place];
    else if (isRow(before) && before[1] === place - 1) packed[packed.length - 1] = [before[0], place];
    else packed.push(place);
  }
  return packed;
}

/** Names and nodes in the order in which they were packed. */
export function* unpackPlaces<Node>(
  packed: readonly PackedPlace[],
  ownName: (node: Node) => string | null,
  nodeAt: (place: Index) => Node,
): Iterable<readonly [string, Node]> {
  for (const one of packed) {
    if (typeof one === "object" && !isRow(one)) {
      yield [one[0], nodeAt(one[1])];
      continue;
    }
    const [first, last] = isRow(one) ? one : [one, one];
    for (let place = first; place <= last; place++) {
      const node = nodeAt(place);
      yield [ownName(node) ?? "", node];
    }
  }
}

const isRow = (place: PackedPlace | undefined): place is readonly [Index, Index] =>
  typeof place === "object" && typeof place[0] === "number";
