// A picture laid out as one flat list of nodes and edges, in coordinates of the whole: plain data, for painters and pages.
import { type Laid, type LayoutEdge, largest, layOut, type Point, type Size } from "../layout/index.ts";
import { foldedPicture, type Picture, type PictureEdge, type PictureItem } from "../picture.ts";
import {
  BOX_TITLE,
  besideOf,
  boxSize,
  headOf,
  LOOP_REACH,
  labelSize,
  loopHeight,
  loopsHeight,
  nodeSize,
  type PictureLayout,
  type PlacedEdge,
  type PlacedLabel,
  type PlacedNode,
} from "./placed.ts";

/** The picture as it is; or, with `unfolded`, with all other sub-workflows folded. The same every time: may be kept. */
export function layOutPicture(picture: Picture, unfolded?: Iterable<string>): PictureLayout {
  const shown = unfolded === undefined ? picture : foldedPicture(picture, new Set(unfolded));
  const arranged = arrange(shown.items, shown.edges);
  const nodes: PlacedNode[] = [];
  const edges: Omit<PlacedEdge, "id">[] = [];
  flatten(arranged, { x: 0, y: 0 }, null, 0, nodes, edges);
  return { title: picture.title, width: arranged.width, height: arranged.height, nodes, edges: withIds(edges) };
}

function flatten(
  { items, edges }: Arranged,
  origin: Point,
  parent: string | null,
  depth: number,
  placedNodes: PlacedNode[],
  placedEdges: Omit<PlacedEdge, "id">[],
): void {
  for (const edge of edges) placedEdges.push(placedEdge(edge, origin, depth));
  for (const placed of items) {
    const { item, width, height, inner } = placed;
    const { x, y } = moved(placed.at, origin);
    const { id, name, detail } = item;
    const [kind, tooltip] = item.kind === "box" ? ([item.of, null] as const) : ([item.shape, item.tooltip] as const);
    placedNodes.push({ id, kind, name, detail, tooltip, parent, depth, x, y, width, height });
    placedEdges.push(...loopEdges(placed, { x, y }, depth));
    if (!inner || item.kind !== "box") continue;
    const within = { x: x + (width - inner.width) / 2, y: y + headOf(item) };
    flatten(inner, within, id, depth + 1, placedNodes, placedEdges);
  }
}

const moved = ({ x, y }: Point, origin: Point): Point => ({ x: x + origin.x, y: y + origin.y });

const kindOf = ({ on, isConditional }: PictureEdge): PlacedEdge["kind"] =>
  on === "error" ? "error" : isConditional ? "when" : "success";

function placedEdge({ edge, points, stub, label }: ArrangedEdge, origin: Point, depth: number): Omit<PlacedEdge, "id"> {
  const { route, from, to } = edge;
  return {
    route,
    from,
    to,
    kind: kindOf(edge),
    isLoop: false,
    depth,
    points: points.map((point) => moved(point, origin)),
    stub: stub?.map((point) => moved(point, origin)) ?? null,
    label: label && placedLabel(edge, moved(label, origin), "middle"),
  };
}

const placedLabel = ({ label }: PictureEdge, at: Point, anchor: PlacedLabel["anchor"]): PlacedLabel | null =>
  label.length === 0 ? null : { ...at, ...labelSize(label), lines: label, anchor };

/** Retries, to the right of what is tried again. */
function loopEdges(
  { item, width, height, loops }: ArrangedItem,
  { x, y }: Point,
  depth: number,
): readonly Omit<PlacedEdge, "id">[] {
  const right = x + width;
  let top = y + (item.kind === "box" ? BOX_TITLE : (height - loopsHeight(loops)) / 2);
  return loops.map((loop) => {
    const middle = top + loopHeight(loop) / 2;
    top += loopHeight(loop);
    const { route, from, to } = loop;
    return {
      route,
      from,
      to,
      kind: kindOf(loop),
      isLoop: true,
      depth,
      points: [
        { x: right, y: middle - 7 },
        { x: right + LOOP_REACH, y: middle },
        { x: right, y: middle + 7 },
      ],
      stub: null,
      label: placedLabel(loop, { x: right + LOOP_REACH, y: middle }, "start"),
    };
  });
}

/** Two answers of a gate may lead to the same step: their routes have one name, and ids of their own. */
function withIds(edges: readonly Omit<PlacedEdge, "id">[]): readonly PlacedEdge[] {
  const counts = new Map<string, number>();
  return edges.map((edge) => {
    const count = (counts.get(edge.route) ?? 0) + 1;
    counts.set(edge.route, count);
    return { id: count === 1 ? edge.route : `${edge.route} (${count})`, ...edge };
  });
}

/** A node or box with its place inside what holds it. */
export interface ArrangedItem extends Size {
  readonly item: PictureItem;
  readonly at: Point;
  readonly loops: readonly PictureEdge[];
  readonly inner: Arranged | null;
}

interface ArrangedEdge {
  /** With the label that it has here. */
  readonly edge: PictureEdge;
  readonly points: readonly Point[];
  readonly stub: readonly Point[] | null;
  /** The middle of its label. */
  readonly label: Point | null;
}

interface Arranged extends Size {
  readonly items: readonly ArrangedItem[];
  readonly edges: readonly ArrangedEdge[];
}

/** An edge, and the items of this picture that hold its ends. */
interface OwnEdge {
  readonly edge: PictureEdge;
  readonly from: string;
  readonly to: string;
}

export function arrange(items: readonly PictureItem[], edges: readonly PictureEdge[]): Arranged {
  const { straight, loops, deeper } = sorted(items, edges);
  const placed = items.map((item): Omit<ArrangedItem, "at"> => {
    const own = loops.get(item.id) ?? [];
    const inner = item.kind === "box" ? arrange(item.items, [...item.edges, ...(deeper.get(item.id) ?? [])]) : null;
    const size = item.kind === "box" ? boxSize(item, inner ?? { width: 0, height: 0 }) : nodeSize(item);
    return { item, loops: own, inner, width: size.width, height: Math.max(size.height, loopsHeight(own) + 8) };
  });
  const nodes = placed.map(({ item, width, height, loops: own }) => ({
    id: item.id,
    width,
    height,
    beside: besideOf(own),
  }));
  const names = new Map(items.map(({ id, name }) => [id, name || "end"]));
  const layoutEdges = straight.map((own) => layoutEdge(own, names, straight.length));
  const laid = straight.length === 0 && placed.length > 1 ? grid(nodes) : layOut(nodes, layoutEdges);
  return {
    width: laid.width,
    height: laid.height,
    items: placed.map((one) => ({ ...one, at: laid.nodes.get(one.item.id) ?? { x: 0, y: 0 } })),
    edges: straight.flatMap((own, index) => {
      const found = laid.edges[index];
      if (!found) return [];
      return [{ ...found, edge: found.stub ? { ...own.edge, label: stubLabel(own, names) } : own.edge }];
    }),
  };
}

/** The edges between the items, the loops of each, and those that lie inside of a box. */
function sorted(items: readonly PictureItem[], edges: readonly PictureEdge[]) {
  const owner = ownersOf(items);
  const straight: OwnEdge[] = [];
  const loops = new Map<string, PictureEdge[]>();
  const deeper = new Map<string, PictureEdge[]>();
  const add = (lists: Map<string, PictureEdge[]>, id: string, edge: PictureEdge): void => {
    const list = lists.get(id);
    if (list) list.push(edge);
    else lists.set(id, [edge]);
  };
  for (const edge of edges) {
    const [from, to] = [owner.get(edge.from), owner.get(edge.to)];
    if (from === undefined || to === undefined) continue;
    if (from !== to) straight.push({ edge: named(edge, from), from, to });
    // A member that is tried again: the loop belongs inside its group.
    else add(edge.from === from ? loops : deeper, from, edge);
  }
  return { straight, loops, deeper };
}

/** Which of the items holds an id: itself, or the box it is in. */
function ownersOf(items: readonly PictureItem[]): ReadonlyMap<string, string> {
  const owner = new Map<string, string>();
  const claim = (item: PictureItem, by: string): void => {
    owner.set(item.id, by);
    if (item.kind === "box") for (const inner of item.items) claim(inner, by);
  };
  for (const item of items) claim(item, item.id);
  return owner;
}

/** An edge that is drawn from a box although it begins inside says where. */
const named = (edge: PictureEdge, from: string): PictureEdge =>
  edge.from === from ? edge : { ...edge, label: [`${edge.from.split("/").at(-1)}:`, ...edge.label] };

/** Error edges that pass more layers are stubs; others only in pictures too large to follow them. */
const LONG_ERROR = 3;
const LONG_WAY = 12;
const MANY_EDGES = 400;

const layoutEdge = (own: OwnEdge, names: ReadonlyMap<string, string>, count: number): LayoutEdge => {
  const { edge, from, to } = own;
  const isError = edge.on === "error";
  return {
    from,
    to,
    label: edge.label.length > 0 ? labelSize(edge.label) : null,
    weight: isError ? 1 : 8,
    stub:
      isError || count > MANY_EDGES
        ? { passing: isError ? LONG_ERROR : LONG_WAY, label: labelSize(stubLabel(own, names)) }
        : null,
  };
};

const stubLabel = ({ edge, to }: OwnEdge, names: ReadonlyMap<string, string>): readonly string[] => [
  ...edge.label,
  `→ ${names.get(to) ?? to}`,
];

const GAP = 18;

/** Members of a group have no order between them: they stand in rows of about equal length. */
interface GridItem extends Size {
  readonly id: string;
  /** Room that is kept free to its right, for loops. */
  readonly beside: number;
}

function grid(items: readonly GridItem[]): Laid {
  const rows = Math.ceil(items.length / Math.max(4, Math.ceil(Math.sqrt(items.length * 1.5))));
  const columns = Math.ceil(items.length / rows);
  const nodes = new Map<string, Point>();
  let [width, y] = [0, 0];
  for (let start = 0; start < items.length; start += columns) {
    const row = items.slice(start, start + columns);
    const height = largest(row.map((one) => one.height));
    let x = 0;
    for (const one of row) {
      nodes.set(one.id, { x, y: y + (height - one.height) / 2 });
      x += one.width + one.beside + GAP;
    }
    width = Math.max(width, x - GAP);
    y += height + GAP;
  }
  return { width, height: y - GAP, nodes, edges: [] };
}
