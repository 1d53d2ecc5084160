// What lines about events are made of: whom one is about, and how much it weighs.
import { callerOfSlot, isHandlerKey, visitNumber } from "../../events/key.ts";
import type { RunEvent } from "../../events/registry.ts";
import type { Glyph } from "../text/glyphs.ts";

export interface EventLine {
  readonly glyph: Glyph;
  /** Whom it is about: `plan/build[3]`. Nothing: the run itself. */
  readonly label: string;
  readonly text: string;
  /** How far it stands in: sub-workflows, items and members stand under theirs. */
  readonly depth: number;
  /** Of a member: the label of its group, under which it stands. */
  readonly group?: string;
  /** `begin`: the live tree shows it anyway. `item`: one of many that went well. `detail`: only with -v. */
  readonly weight: "always" | "begin" | "item" | "detail";
}

/** `loop#2` is the second visit; the first goes without a number, as most steps have no other. */
const visited = (name: string, key: string | undefined): string => {
  const visit = key === undefined ? 1 : visitNumber(key);
  return visit === 1 ? name : `${name} #${visit}`;
};

type Place = { readonly key?: string; readonly group?: string; readonly item_key?: string };
type Named = { readonly [Field in "slot" | "from_agent" | "group_name" | "agent_name" | "node"]?: string | null };

/**
 * Whom an event is about, by the field that its data has for it; nothing: the run itself. An item is named by its group
 * and key, and the handler that stands in for one (`all#1[2].get.mend`) by its own name too. A member of a parallel group
 * has its own name, any other step its name and which visit it is.
 */
export function nameIn(data: RunEvent["data"]): string | undefined {
  const { slot, from_agent, group_name, agent_name, node, key, group, item_key } = data as Named & Place;
  const name = slot ?? from_agent ?? group_name ?? agent_name ?? node ?? undefined;
  if (name === undefined || name === slot || name === from_agent) return name;
  if (!group) return visited(name, key);
  if (item_key === undefined) return name;
  const item = `${group}[${item_key}]`;
  return key !== undefined && isHandlerKey(key, name) ? `${item} ${name}` : item;
}

/** An item's sub-workflow stands under the item, which stands under its group. */
export const depthOf = (path: readonly string[]): number =>
  path.reduce((depth, slot) => depth + (callerOfSlot(slot) === slot ? 1 : 2), 0);

/** Many alike: the items of a for_each, and what happens inside one. */
export const isAmongMany = (event: RunEvent): boolean =>
  ("item_key" in event.data && event.data.item_key !== undefined) ||
  event.path.some((slot) => callerOfSlot(slot) !== slot);
