// Where a trigger belongs on a fleet that is made of cells: what is recorded of it is in one of them, and a cell that is
// away takes only its own triggers with it.
import type { Firings, TriggerState } from "../../hosts/firings.ts";
import { refusal } from "../refusals.ts";
import type { KnownTrigger } from "./known-trigger.ts";

/** A `cell` that each firing renders says nothing about the trigger itself. */
export const isRendered = (cell = ""): boolean => cell.includes("{");

/** Nothing where there are no cells. One that does not exist is refused when it fires, so its name decides till then. */
export function cellOfTrigger({ cells }: Firings, { id, cell }: KnownTrigger): string | undefined {
  if (!cells) return undefined;
  return cell !== undefined && cells.names.includes(cell) ? cell : cells.ofName(id);
}

/** Where a firing and its run go. */
export interface FiringPlace {
  readonly cell: string;
  /** All that there are. */
  readonly cells: readonly string[];
}

/** `rendered`: what the `cell` of the trigger comes to for this firing. Nothing where there are no cells. */
export function placeOf(firings: Firings, trigger: KnownTrigger, rendered?: string): FiringPlace | undefined {
  const own = cellOfTrigger(firings, trigger);
  return own === undefined ? undefined : { cell: rendered ?? own, cells: firings.cells?.names ?? [] };
}

/** What is kept of the trigger; nothing when its cell does not answer. */
export async function reachedFirings(firings: Firings, trigger: KnownTrigger): Promise<Firings | undefined> {
  const cell = cellOfTrigger(firings, trigger);
  if (cell === undefined) return firings;
  const own = await firings.cells?.within(cell);
  // Firings of one whose `cell` is rendered may be in any of them.
  return own && isRendered(trigger.cell) ? { ...own, list: firings.list } : own;
}

export const stateIfReached = async (firings: Firings, trigger: KnownTrigger): Promise<TriggerState | undefined> =>
  (await reachedFirings(firings, trigger))?.state(trigger.id);

/** The same, for what cannot be done without it. */
export async function firingsOfTrigger(firings: Firings, trigger: KnownTrigger): Promise<Firings> {
  const own = await reachedFirings(firings, trigger);
  if (own) return own;
  throw refusal(
    `the trigger ${trigger.name} belongs to the cell ${cellOfTrigger(firings, trigger)}, which does not answer. Try again when it can be reached`,
  );
}

/** Triggers that are looked after together: in one cell, and without waiting for another. */
export interface TriggerPart {
  /** Absent where there are no cells. */
  readonly cell?: string;
  readonly triggers: readonly KnownTrigger[];
  /**
   * They follow runs of all cells, or fire in any of them. Such a part has triggers only: runs are started, and firings
   * settled, by the other part of the cell.
   */
  readonly isWide: boolean;
}

export function triggerParts(firings: Firings, triggers: readonly KnownTrigger[]): readonly TriggerPart[] {
  const { cells } = firings;
  if (!cells) return [{ triggers, isWide: false }];
  return cells.names.flatMap((cell) => {
    const own = triggers.filter((trigger) => cellOfTrigger(firings, trigger) === cell);
    const wide = own.filter(isWide);
    return [
      { cell, triggers: own.filter((trigger) => !isWide(trigger)), isWide: false },
      ...(wide.length > 0 ? [{ cell, triggers: wide, isWide: true }] : []),
    ];
  });
}

const isWide = ({ on_run, cell }: KnownTrigger): boolean => on_run !== undefined || isRendered(cell);
