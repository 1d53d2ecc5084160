// How far from the middle of its node each end of an edge stands: side by side, in the order of where they lead.
import type { Cell, Chain } from "./layers.ts";

const BETWEEN_PORTS = 24;

export interface Ports {
  /** At the upper or the lower end of the chain. */
  of(chain: Chain, end: "upper" | "lower"): number;
}

export function portsOf(chains: readonly (Chain | undefined)[]): Ports {
  const shifts = { upper: new Map<Chain, number>(), lower: new Map<Chain, number>() };
  const ends = { upper: new Map<Cell, Chain[]>(), lower: new Map<Cell, Chain[]>() };
  const arrive = (end: "upper" | "lower", cell: Cell | undefined, chain: Chain): void => {
    if (!cell) return;
    const list = ends[end].get(cell);
    if (list) list.push(chain);
    else ends[end].set(cell, [chain]);
  };
  for (const chain of chains) {
    if (!chain) continue;
    arrive("upper", chain.cells[0], chain);
    if (!chain.leadsTo) arrive("lower", chain.cells.at(-1), chain);
  }
  for (const end of ["upper", "lower"] as const) {
    const next = ({ cells }: Chain): number => cells.at(end === "upper" ? 1 : -2)?.x ?? 0;
    for (const [cell, list] of ends[end]) {
      const step = Math.min(BETWEEN_PORTS, (cell.width * 0.7) / Math.max(1, list.length));
      list.sort((a, b) => next(a) - next(b));
      for (const [index, chain] of list.entries()) shifts[end].set(chain, (index - (list.length - 1) / 2) * step);
    }
  }
  return { of: (chain, end) => shifts[end].get(chain) ?? 0 };
}
