// What lines about events are made of: whom one is about, and how much it weighs.
import { callerOfSlot, isHandlerKey, nodePath, visitNumber } from "../../events/key.ts";
import type { RunEvent } from "../../events/registry.ts";
import type { Glyph } from "../text/glyphs.ts";
import { plainLineOf } from "../text/harmless.ts";

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

type Weight = EventLine["weight"];
export type MemberNames = {
  readonly node: string;
  readonly key?: string;
  readonly group?: string;
  readonly item_key?: string;
};
export type StepNames = Omit<MemberNames, "node"> & { readonly agent_name: string };

/** `loop#2` is the second visit; the first goes without a number, as most steps have no other. */
export const visited = (name: string, key: string | undefined): string => {
  const visit = key === undefined ? 1 : visitNumber(key);
  return visit === 1 ? name : `${name} #${visit}`;
};

/**
 * An item is named by its group and key, and the handler that stands in for one (`all#1[2].get.mend`) by its own name
 * too. A member of a parallel group has its own name, any other step its name and which visit it is.
 */
export const stepName = ({ agent_name, key, group, item_key }: StepNames): string => {
  if (!group) return visited(agent_name, key);
  if (item_key === undefined) return agent_name;
  const item = `${group}[${item_key}]`;
  return key !== undefined && isHandlerKey(key, agent_name) ? `${item} ${agent_name}` : item;
};
export const memberName = ({ node, ...place }: MemberNames): string => stepName({ agent_name: node, ...place });

export const line = (
  glyph: Glyph,
  event: RunEvent,
  name: string,
  text: string,
  weight: Weight = "always",
): EventLine => {
  const group = "group" in event.data ? event.data.group : undefined;
  const depth = depthOf(event.path) + (group === undefined ? 0 : 1);
  const said = { glyph, label: plainLineOf(nodePath(event.path, name)), text: plainLineOf(text), depth, weight };
  return group === undefined ? said : { ...said, group: plainLineOf(nodePath(event.path, group)) };
};

/** An item's sub-workflow stands under the item, which stands under its group. */
const depthOf = (path: readonly string[]): number =>
  path.reduce((depth, slot) => depth + (callerOfSlot(slot) === slot ? 1 : 2), 0);

/** Many alike: the items of a for_each, and what happens inside one. */
export const isAmongMany = (event: RunEvent): boolean =>
  ("item_key" in event.data && event.data.item_key !== undefined) ||
  event.path.some((slot) => callerOfSlot(slot) !== slot);
export const ofRun = (glyph: Glyph, text: string, weight: Weight = "always"): EventLine => ({
  glyph,
  label: "",
  text: plainLineOf(text),
  depth: 0,
  weight,
});
