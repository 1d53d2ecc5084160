// A step as the address names it: `package/verify`, `each[blue]/verify`; the item of a for_each's own step apart from it.
import { nodeId } from "../../../graph/run-ids.ts";

export interface StepAddress {
  /** Slots of the sub-workflows that it is in, as events name them. */
  readonly path: readonly string[];
  readonly node: string;
}

/** An item's key may hold slashes: what is in brackets is one piece. */
export const slotsOf = (text: string): readonly string[] => text.match(/(?:[^/[]|\[[^\]]*\])+/g) ?? [];

export function stepAddressOf(text: string): StepAddress | null {
  const slots = slotsOf(text);
  const node = slots.at(-1);
  return node === undefined ? null : { path: slots.slice(0, -1), node };
}

export const stepText = ({ path, node }: StepAddress): string => [...path, node].join("/");

/** The id that it has in the picture, where items share one drawing. */
export const pictureId = ({ path, node }: StepAddress): string => nodeId(path, node);
