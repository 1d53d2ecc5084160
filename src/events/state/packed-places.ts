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
