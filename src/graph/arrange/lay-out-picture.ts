// A picture laid out as one flat list of nodes and edges, in coordinates of the whole: plain data, for painters and pages.
import type { Point } from "../layout/index.ts";
import type { Picture, PictureEdge } from "../picture.ts";
import { foldedPicture } from "../unfold.ts";
import { type Arranged, type ArrangedEdge, type ArrangedItem, arrange } from "./arrange.ts";
import type { PictureLayout, PlacedEdge, PlacedLabel, PlacedNode } from "./placed.ts";
import { BOX_TITLE, headOf, LOOP_REACH, labelSize, loopHeight, loopsHeight } from "./sizes.ts";

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
