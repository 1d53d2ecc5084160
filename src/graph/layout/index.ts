// A layered drawing: layers by the longest way, order by barycentres, places by least squares, edges along their places.
// Small on purpose: good for workflows, which are mostly paths with a few branches.
import { type Cell, type Chain, layersOf } from "./layers.ts";
import { orderLayers } from "./order.ts";
import { placeLayers } from "./place.ts";
import type { Laid, LaidEdge, LayoutEdge, LayoutNode, Point } from "./shape.ts";
import { straighten } from "./straighten.ts";

export type { Laid, LaidEdge, LayoutEdge, LayoutNode, Point, Size } from "./shape.ts";

const BETWEEN_LAYERS = 23;
/** In a layer with something tall, small things stand near its upper edge. */
const BELOW_TOP = 20;
/** Bends smaller than this look like mistakes. */
const STRAIGHT_ENOUGH = 9;
const PORTS = 24;

export function layOut(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Laid {
  const { layers, cells, chains } = layersOf(nodes, edges);
  orderLayers(layers);
  placeLayers(layers);
  straighten(layers, chains);
  const all = layers.flat();
  const left = Math.min(0, ...all.map(({ x, width }) => x - width / 2));
  for (const cell of all) cell.x -= left;
  const tops = topsOf(layers);
  const middleOf = ({ rank, height }: Cell): number => {
    const band = tops[rank] ?? { top: 0, height: 0 };
    return band.top + Math.min((band.height - height) / 2, BELOW_TOP) + height / 2;
  };
  const ports = portsOf(chains);
  const last = tops.at(-1);
  return {
    width: Math.max(0, ...all.map(({ x, width, beside }) => x + width / 2 + beside)),
    height: last ? last.top + last.height : 0,
    nodes: new Map(
      [...cells].map(([id, cell]) => [id, { x: cell.x - cell.width / 2, y: middleOf(cell) - cell.height / 2 }]),
    ),
    edges: chains.map((chain) => chain && laidEdge(chain, tops, ports, middleOf)),
  };
}

interface Band {
  readonly top: number;
  readonly height: number;
}

function topsOf(layers: readonly (readonly Cell[])[]): readonly Band[] {
  let top = 0;
  return layers.map((layer) => {
    const height = Math.max(0, ...layer.map((cell) => cell.height));
    const band = { top, height };
    top += height + BETWEEN_LAYERS;
    return band;
  });
}

/** How far from the middle of its node each end of an edge stands: side by side, in the order of where they lead. */
interface Ports {
  of(chain: Chain, end: "top" | "bottom"): number;
}

function portsOf(chains: readonly (Chain | undefined)[]): Ports {
  const shifts = new Map<Chain, { top: number; bottom: number }>();
  const byCell = new Map<Cell, { top: Chain[]; bottom: Chain[] }>();
  for (const chain of chains) {
    if (!chain) continue;
    shifts.set(chain, { top: 0, bottom: 0 });
    for (const [cell, side] of [
      [chain.cells[0], "bottom"],
      [chain.cells.at(-1), "top"],
    ] as const) {
      if (!cell) continue;
      const sides = byCell.get(cell) ?? { top: [], bottom: [] };
      sides[side].push(chain);
      byCell.set(cell, sides);
    }
  }
  const spread = (
    cell: Cell,
    list: Chain[],
    next: (chain: Chain) => number,
    set: (chain: Chain, shift: number) => void,
  ): void => {
    const step = Math.min(PORTS, (cell.width * 0.7) / Math.max(1, list.length));
    list.sort((a, b) => next(a) - next(b));
    for (const [index, chain] of list.entries()) set(chain, (index - (list.length - 1) / 2) * step);
  };
  for (const [cell, { top, bottom }] of byCell) {
    spread(
      cell,
      bottom,
      ({ cells }) => cells[1]?.x ?? 0,
      (chain, shift) => Object.assign(shifts.get(chain) ?? {}, { top: shift }),
    );
    spread(
      cell,
      top,
      ({ cells }) => cells.at(-2)?.x ?? 0,
      (chain, shift) => Object.assign(shifts.get(chain) ?? {}, { bottom: shift }),
    );
  }
  return { of: (chain, end) => shifts.get(chain)?.[end] ?? 0 };
}

function laidEdge(chain: Chain, bands: readonly Band[], ports: Ports, middleOf: (cell: Cell) => number): LaidEdge {
  const [first] = chain.cells;
  const last = chain.cells.at(-1);
  if (!first || !last) return { points: [], label: null };
  const bandOf = ({ rank }: Cell): Band => bands[rank] ?? { top: 0, height: 0 };
  const passing = chain.cells.slice(1, -1).flatMap((cell): readonly Point[] => {
    const { top, height } = bandOf(cell);
    return [
      { x: cell.x, y: top },
      { x: cell.x, y: top + height },
    ];
  });
  const begins = snapped(first.x + ports.of(chain, "top"), passing[0]?.x);
  const ends = snapped(last.x + ports.of(chain, "bottom"), passing.at(-1)?.x ?? begins);
  // Beside something tall an edge goes straight until it has left the layer.
  const points: readonly Point[] = [
    { x: begins, y: middleOf(first) + first.height / 2 },
    { x: begins, y: bandOf(first).top + bandOf(first).height },
    ...passing,
    { x: ends, y: bandOf(last).top },
    { x: ends, y: middleOf(last) - last.height / 2 },
  ];
  const { label } = chain;
  return {
    points: chain.isReversed ? [...points].reverse() : points,
    label: label ? { x: label.x, y: middleOf(label) } : null,
  };
}

const snapped = (x: number, to: number | undefined): number =>
  to !== undefined && Math.abs(to - x) <= STRAIGHT_ENOUGH ? to : x;
