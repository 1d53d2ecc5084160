// A layered drawing: layers by the longest way, order by barycentres, places by least squares, edges along their places.
// Small on purpose: good for workflows, which are mostly paths with a few branches. Pure, and without anything of Node: a
// page runs it in a worker.

import { type Chain, type LayerCell, layersOf } from "./layers.ts";
import { orderLayers } from "./order.ts";
import { placeLayers, straighten } from "./place.ts";
import { type Ports, portsOf } from "./ports.ts";
import { type Laid, type LaidEdge, type LayoutEdge, type LayoutNode, largest, type Point, smallest } from "./shape.ts";
import { Bands, waysAround } from "./way-around.ts";

export type { Laid, LayoutEdge, LayoutNode, Point, Size } from "./shape.ts";
export { largest } from "./shape.ts";

/** Bends smaller than this look like mistakes. */
const STRAIGHT_ENOUGH = 9;
/** Segments shorter than this have no direction that an arrowhead could take. */
const SHORTEST = 0.5;

export function layOut(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Laid {
  const { layers, cells, chains } = layersOf(nodes, edges);
  orderLayers(layers);
  placeLayers(layers);
  straighten(layers, chains);
  const all = layers.flat();
  const left = smallest(
    all.map(({ x, width }) => x - width / 2),
    0,
  );
  for (const cell of all) cell.x -= left;
  const bands = new Bands(layers);
  const ports = portsOf(chains);
  const wayAround = waysAround(layers, bands);
  const laid = chains.map((chain): LaidEdge | undefined => {
    if (!chain) return undefined;
    if (!chain.stub) return laidEdge(chain, bands, ports);
    const { from, label, leadsTo } = chain.stub;
    const begin = { x: snapped(from.x + ports.of(chain, "upper"), label.x, from.width), y: bands.bottomOf(from) };
    const stub = distinct([begin, { x: begin.x, y: bands.of(from).bottom }, { x: label.x, y: bands.topOf(label) }]);
    return { points: wayAround(from, begin, leadsTo), stub, label: labelPoint(label, bands) };
  });
  return {
    width: Math.max(
      largest(all.map(({ x, width, beside }) => x + width / 2 + beside)),
      largest(laid.flatMap((edge) => (edge?.stub ? edge.points.map(({ x }) => x) : []))),
    ),
    height: bands.height,
    nodes: new Map([...cells].map(([id, cell]) => [id, { x: cell.x - cell.width / 2, y: bands.topOf(cell) }])),
    edges: laid,
  };
}

function laidEdge(chain: Chain, bands: Bands, ports: Ports): LaidEdge {
  const [first] = chain.cells;
  const last = chain.cells.at(-1);
  if (!first || !last) return { points: [], stub: null, label: null };
  const passing = chain.cells.slice(1, -1).flatMap((cell): readonly Point[] => {
    const { top, bottom } = bands.of(cell);
    return [
      { x: cell.x, y: top },
      { x: cell.x, y: bottom },
    ];
  });
  const begins = snapped(first.x + ports.of(chain, "upper"), passing[0]?.x, first.width);
  const ends = snapped(last.x + ports.of(chain, "lower"), passing.at(-1)?.x ?? begins, last.width);
  // Beside something tall an edge goes straight until it has left the layer.
  const points = distinct([
    { x: begins, y: bands.bottomOf(first) },
    { x: begins, y: bands.of(first).bottom },
    ...passing,
    { x: ends, y: bands.of(last).top },
    { x: ends, y: bands.topOf(last) },
  ]);
  return {
    points: chain.isReversed ? [...points].reverse() : points,
    stub: null,
    label: labelPoint(chain.label, bands),
  };
}

const labelPoint = (label: LayerCell | null, bands: Bands): Point | null =>
  label && { x: label.x, y: bands.middleOf(label) };

/** Without points that lie on the one before them. */
function distinct(points: readonly Point[]): readonly Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    const before = kept.at(-1);
    if (before && Math.hypot(point.x - before.x, point.y - before.y) < SHORTEST) kept.pop();
    kept.push(point);
  }
  return kept;
}

/** Onto the line that it goes on with, unless it would no longer meet a node that is small. */
const snapped = (x: number, to: number | undefined, width: number): number =>
  to !== undefined && Math.abs(to - x) <= Math.min(STRAIGHT_ENOUGH, width / 6) ? to : x;
