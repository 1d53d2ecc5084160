// The whole way of an edge that is drawn as a stub: out of its node, down or up beside everything that is in between, and
// into the node that it leads to. It takes up no room of its own; edges to the same node share a lane.
import type { Bands } from "./bands.ts";
import { largest } from "./extremes.ts";
import type { Cell } from "./layers.ts";
import type { Point } from "./shape.ts";

const BESIDE = 12;
const BETWEEN_LANES = 7;
const LANES = 8;
/** How far from a layer the way turns. */
const TURN = 8;

export function waysAround(
  layers: readonly (readonly Cell[])[],
  bands: Bands,
): (from: Cell, begin: Point, to: Cell) => readonly Point[] {
  const reach = layers.map((layer) => largest(layer.map(({ x, width, beside }) => x + width / 2 + beside)));
  const lanes = new Map<Cell, number>();
  return (from, begin, to) => {
    const lane = lanes.get(to) ?? lanes.size % LANES;
    lanes.set(to, lane);
    const [first, last] = [Math.min(from.rank, to.rank), Math.max(from.rank, to.rank)];
    const x = largest(reach.slice(first, last + 1)) + BESIDE + lane * BETWEEN_LANES;
    const [leave, enter] = [bands.of(from).bottom + TURN, bands.of(to).top - TURN];
    return [
      begin,
      { x: begin.x, y: leave },
      { x, y: leave },
      { x, y: enter },
      { x: to.x, y: enter },
      { x: to.x, y: bands.topOf(to) },
    ];
  };
}
