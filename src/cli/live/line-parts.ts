// What lines about events are made of: whom one is about, and how much it weighs.
import { isHandlerKey, nodePath, visitNumber } from "../../events/key.ts";
import type { RunEvent } from "../../events/registry.ts";
import type { Glyph } from "../text/glyphs.ts";
import { plain } from "../text/width.ts";

export interface EventLine {
  readonly glyph: Glyph;
  /** Whom it is about: `plan/build[3]`. Nothing: the run itself. */
  readonly label: string;
  readonly text: string;
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
): EventLine => ({
  glyph,
  label: plain(nodePath(event.path, name)),
  text: plain(text),
  weight,
});
export const ofRun = (glyph: Glyph, text: string, weight: Weight = "always"): EventLine => ({
  glyph,
  label: "",
  text: plain(text),
  weight,
});
