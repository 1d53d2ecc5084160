// The items of a for_each as they stand one after the other in a packed state: their keys and numbers follow from the
// group and from the one before, and are said only where they do not.
import { itemKey } from "../key.ts";

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
