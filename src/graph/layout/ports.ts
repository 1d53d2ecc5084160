// How far from the middle of its node each end of an edge stands: above or below the place that it comes from or leads to,
// so that it is straight where it can be, and side by side.
import type { Chain, LayerCell } from "./layers.ts";

const BETWEEN_PORTS = 14;

export interface Ports {
  /** At the upper or the lower end of the chain. */
  of(chain: Chain, end: "upper" | "lower"): number;
}

export function portsOf(chains: readonly (Chain | undefined)[]): Ports {
  const shifts = { upper: new Map<Chain, number>(), lower: new Map<Chain, number>() };
  const ends = { upper: new Map<LayerCell, Chain[]>(), lower: new Map<LayerCell, Chain[]>() };
  const arrive = (end: "upper" | "lower", cell: LayerCell | undefined, chain: Chain): void => {
    if (!cell) return;
    const list = ends[end].get(cell);
    if (list) list.push(chain);
    else ends[end].set(cell, [chain]);
  };
  for (const chain of chains) {
    if (!chain) continue;
    arrive("upper", chain.cells[0], chain);
    if (!chain.stub) arrive("lower", chain.cells.at(-1), chain);
  }
  for (const end of ["upper", "lower"] as const) {
    const next = ({ cells }: Chain): number => cells.at(end === "upper" ? 1 : -2)?.x ?? 0;
    for (const [cell, list] of ends[end]) {
      list.sort((a, b) => next(a) - next(b));
      const spread = sideBySide(
        list.map((chain) => next(chain) - cell.x),
        cell.width * REACH,
      );
      for (const [index, chain] of list.entries()) shifts[end].set(chain, spread[index] ?? 0);
    }
  }
  return { of: (chain, end) => shifts[end].get(chain) ?? 0 };
}

/** How far from its middle a node may be left or entered, as a part of its width. */
const REACH = 0.35;

/** Numbers as near as they can be to those wanted, which are in order, with room between them and none out of reach. */
function sideBySide(wanted: readonly number[], reach: number): readonly number[] {
  const gap = Math.min(BETWEEN_PORTS, (2 * reach) / Math.max(1, wanted.length));
  const found: number[] = [];
  for (const [index, one] of wanted.entries()) {
    const before = found[index - 1];
    const free = Math.max(-reach, Math.min(reach, one));
    found.push(before === undefined ? free : Math.max(free, before + gap));
  }
  for (let index = found.length - 1, most = reach; index >= 0; index--, most -= gap)
    found[index] = Math.min(found[index] ?? 0, most);
  return found;
}
