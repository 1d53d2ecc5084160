// Where on its layer each thing stands: as near as it can to the middle of what it is connected to, without overlapping.
// For one layer that is a least-squares problem with a known solution: neighbours that would overlap move as one block.
import type { Chain, LayerCell, Link } from "./layers.ts";

const BETWEEN_NODES = 34;
const BETWEEN_EDGES = 18;
const SWEEPS = 16;
const LEAST_WEIGHT = 0.001;

/** Sets `x` of every cell. */
export function placeLayers(layers: readonly (readonly LayerCell[])[]): void {
  for (const layer of layers)
    settle(
      layer,
      layer.map(() => 0),
      layer.map(() => 1),
    );
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const indices = layers.map((_, index) => index);
    const isLast = sweep >= SWEEPS - 2;
    for (const index of down ? indices : indices.reverse()) {
      const layer = layers[index] ?? [];
      const linksOf = (cell: LayerCell): readonly Link[] =>
        isLast ? [...cell.up, ...cell.down] : down ? cell.up : cell.down;
      const wanted = layer.map((cell) => wantedAt(linksOf(cell)) ?? cell.x);
      const weights = layer.map((cell) =>
        Math.max(
          LEAST_WEIGHT,
          linksOf(cell).reduce((sum, { weight }) => sum + weight, 0),
        ),
      );
      settle(layer, wanted, weights);
    }
  }
}

function wantedAt(links: readonly Link[]): number | undefined {
  const total = links.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? undefined : links.reduce((sum, { cell, weight }) => sum + cell.x * weight, 0) / total;
}

const gapBetween = (a: LayerCell, b: LayerCell): number =>
  a.width / 2 + a.beside + b.width / 2 + (a.node !== null && b.node !== null ? BETWEEN_NODES : BETWEEN_EDGES);

interface Block {
  sum: number;
  weight: number;
  readonly from: number;
}

function settle(layer: readonly LayerCell[], wanted: readonly number[], weights: readonly number[]): void {
  // Without the room between them the cells only have to keep their order: blocks of equal values do.
  const offsets: number[] = [];
  for (const [index, cell] of layer.entries()) {
    const before = layer[index - 1];
    offsets.push(before ? (offsets[index - 1] ?? 0) + gapBetween(before, cell) : 0);
  }
  const blocks: Block[] = [];
  const mean = ({ sum, weight }: Block): number => sum / weight;
  for (const index of layer.keys()) {
    const weight = weights[index] ?? 1;
    blocks.push({ sum: ((wanted[index] ?? 0) - (offsets[index] ?? 0)) * weight, weight, from: index });
    for (
      let last = blocks.at(-1), before = blocks.at(-2);
      last && before && mean(before) >= mean(last);
      last = blocks.at(-1), before = blocks.at(-2)
    ) {
      before.sum += last.sum;
      before.weight += last.weight;
      blocks.pop();
    }
  }
  for (const [at, block] of blocks.entries()) {
    const end = blocks[at + 1]?.from ?? layer.length;
    for (let index = block.from; index < end; index++) {
      const cell = layer[index];
      if (cell) cell.x = mean(block) + (offsets[index] ?? 0);
    }
  }
}

/** Moves the places where edges pass, within the room that their neighbours leave. */
export function straighten(layers: readonly (readonly LayerCell[])[], chains: readonly (Chain | undefined)[]): void {
  const neighbours = new Map<LayerCell, { readonly left?: LayerCell; readonly right?: LayerCell }>();
  for (const layer of layers)
    for (const [index, cell] of layer.entries())
      neighbours.set(cell, { left: layer[index - 1], right: layer[index + 1] });
  const roomOf = (cell: LayerCell): readonly [number, number] => {
    const { left, right } = neighbours.get(cell) ?? {};
    return [
      left ? left.x + gapBetween(left, cell) : Number.NEGATIVE_INFINITY,
      right ? right.x - gapBetween(cell, right) : Number.POSITIVE_INFINITY,
    ];
  };
  for (const chain of chains) {
    if (!chain) continue;
    const passing = chain.cells.slice(1, -1);
    for (let from = 0; from < passing.length; ) {
      const { end, low, high } = longestRun(passing, from, roomOf);
      const run = passing.slice(from, end);
      const x = clamp(wantedBy(chain, run, from === 0, end === passing.length), low, high);
      for (const cell of run) cell.x = x;
      from = end;
    }
  }
}

/** How far down one line can go. */
function longestRun(
  passing: readonly LayerCell[],
  from: number,
  roomOf: (cell: LayerCell) => readonly [number, number],
) {
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  let end = from;
  for (; end < passing.length; end++) {
    const cell = passing[end];
    if (!cell) break;
    const [left, right] = roomOf(cell);
    if (end > from && Math.max(low, left) > Math.min(high, right)) break;
    [low, high] = [Math.max(low, left), Math.min(high, right)];
  }
  return { end, low, high };
}

/** Straight into the node at its end, if the line ends there; out of the one it begins at; otherwise where it was. */
function wantedBy({ cells }: Chain, run: readonly LayerCell[], begins: boolean, ends: boolean): number {
  const now = run.reduce((sum, { x }) => sum + x, 0) / run.length;
  const near = (cell: LayerCell | undefined): number | undefined =>
    cell && Math.abs(cell.x - now) <= cell.width / 3 ? cell.x : undefined;
  return (ends ? near(cells.at(-1)) : undefined) ?? (begins ? near(cells[0]) : undefined) ?? now;
}

/** Without any room, rounding may put `low` a hair above `high`: then it stays there, and overlaps nothing. */
const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));
