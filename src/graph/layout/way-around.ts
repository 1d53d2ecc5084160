// The whole way of an edge that is drawn as a stub: out of its node, down or up beside everything that is in between, and
// into the node that it leads to. It takes up no room of its own; edges to the same node share a lane.
import type { LayerCell } from "./layers.ts";
import { largest, type Point } from "./shape.ts";

const BESIDE = 12;
const BETWEEN_LANES = 7;
const LANES = 8;
/** Over more layers than this, the narrowest way is not searched for: it would take long, and hardly be seen. */
const FAR = 100;
/** How far from a layer the way turns; before its end there is room for an arrowhead. */
const LEAVE = 8;
const ENTER = 13;
/** Where it enters, as a part of the width from the middle: beside what comes straight from above. */
const ENTER_RIGHT = 0.3;

export function waysAround(
  layers: readonly (readonly LayerCell[])[],
  bands: Bands,
): (from: LayerCell, begin: Point, to: LayerCell) => readonly Point[] {
  const reach = layers.map((layer) => largest(layer.map(({ x, width, beside }) => x + width / 2 + beside)));
  const all = largest(reach);
  const lanes = new Map<LayerCell, number>();
  return (from, begin, to) => {
    const lane = lanes.get(to) ?? lanes.size % LANES;
    lanes.set(to, lane);
    const [first, last] = [Math.min(from.rank, to.rank), Math.max(from.rank, to.rank)];
    const widest = last - first > FAR ? all : largest(reach.slice(first, last + 1));
    const x = widest + BESIDE + lane * BETWEEN_LANES;
    const [leave, enter] = [bands.of(from).bottom + LEAVE, bands.of(to).top - ENTER];
    const end = to.x + to.width * ENTER_RIGHT;
    return [
      begin,
      { x: begin.x, y: leave },
      { x, y: leave },
      { x, y: enter },
      { x: end, y: enter },
      { x: end, y: bands.topOf(to) },
    ];
  };
}

export interface Band {
  readonly top: number;
  readonly bottom: number;
}

const BETWEEN_LAYERS = 23;
/** In a layer with something tall, small things stand near its upper edge. */
const BELOW_TOP = 20;

export class Bands {
  readonly #bands: readonly Band[];

  constructor(layers: readonly (readonly LayerCell[])[]) {
    let top = 0;
    this.#bands = layers.map((layer) => {
      const bottom = top + largest(layer.map((cell) => cell.height));
      const band = { top, bottom };
      top = bottom + BETWEEN_LAYERS;
      return band;
    });
  }

  get height(): number {
    return this.#bands.at(-1)?.bottom ?? 0;
  }

  of({ rank }: LayerCell): Band {
    return this.#bands[rank] ?? { top: 0, bottom: 0 };
  }

  topOf(cell: LayerCell): number {
    const { top, bottom } = this.of(cell);
    return top + Math.min((bottom - top - cell.height) / 2, BELOW_TOP);
  }

  middleOf(cell: LayerCell): number {
    return this.topOf(cell) + cell.height / 2;
  }

  bottomOf(cell: LayerCell): number {
    return this.topOf(cell) + cell.height;
  }
}
