// The order on each layer: everything moves towards the middle of what it is connected to, up and down in turns, and the
// order with the fewest crossings is kept.

import type { LayerCell, Link } from "./layers.ts";
import { largest } from "./shape.ts";

const SWEEPS = 12;

/** Sorts the layers in place. */
export function orderLayers(layers: LayerCell[][]): void {
  let best = layers.map((layer) => [...layer]);
  let fewest = crossings(layers);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const down = sweep % 2 === 0;
    const indices = layers.map((_, index) => index);
    for (const index of down ? indices : indices.reverse()) sortLayer(layers, index, down);
    const now = crossings(layers);
    if (now >= fewest) continue;
    fewest = now;
    best = layers.map((layer) => [...layer]);
  }
  for (const [index, layer] of best.entries()) layers[index] = layer;
}

function sortLayer(layers: LayerCell[][], index: number, down: boolean): void {
  const layer = layers[index] ?? [];
  const beside = positions(layers[index + (down ? -1 : 1)] ?? []);
  const places = new Map<LayerCell, number>();
  for (const [at, cell] of layer.entries()) {
    if (!isStub(cell)) places.set(cell, middle(down ? cell.up : cell.down, beside) ?? at);
  }
  for (const [at, cell] of layer.entries()) if (isStub(cell)) places.set(cell, placeOfStub(cell, places) ?? at);
  layer.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

/** Only the label of a stub leads nowhere. */
const isStub = ({ node, down }: LayerCell): boolean => node === null && down.length === 0;

/** Right of what goes on from its node, so that this can be straight. */
function placeOfStub({ up }: LayerCell, places: ReadonlyMap<LayerCell, number>): number | undefined {
  const siblings = up.flatMap(({ cell }) => cell.down.flatMap(({ cell: next }) => places.get(next) ?? []));
  return siblings.length === 0 ? undefined : largest(siblings);
}

const positions = (layer: readonly LayerCell[]): ReadonlyMap<LayerCell, number> =>
  new Map(layer.map((cell, at) => [cell, at]));

function middle(links: readonly Link[], at: ReadonlyMap<LayerCell, number>): number | undefined {
  if (links.length === 0) return undefined;
  const total = links.reduce((sum, { weight }) => sum + weight, 0);
  return links.reduce((sum, { cell, weight }) => sum + (at.get(cell) ?? 0) * weight, 0) / total;
}

function crossings(layers: readonly (readonly LayerCell[])[]): number {
  let count = 0;
  for (const [index, layer] of layers.entries()) {
    const below = layers[index + 1] ?? [];
    const at = positions(below);
    const ends = layer.flatMap((cell) => cell.down.map((link) => at.get(link.cell) ?? 0).sort((a, b) => a - b));
    count += inversions(ends, below.length);
  }
  return count;
}

/** How many pairs are in the wrong order, with a tree of partial sums: wide layers have thousands of edges. */
function inversions(places: readonly number[], size: number): number {
  if (places.length < 2) return 0;
  const sums = new Int32Array(size + 1);
  let count = 0;
  for (const [seen, place] of places.entries()) {
    let before = 0;
    for (let at = place + 1; at > 0; at -= at & -at) before += sums[at] ?? 0;
    count += seen - before;
    for (let at = place + 1; at <= size; at += at & -at) sums[at] = (sums[at] ?? 0) + 1;
  }
  return count;
}
