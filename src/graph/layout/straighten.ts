// Long edges pass many layers; where nothing is in the way they do so in one straight line.
import type { Chain, LayerCell } from "./layers.ts";
import { gapBetween } from "./place.ts";

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
