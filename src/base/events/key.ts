// The key of a visit: its address in a run, and the only place where such addresses are built and read.
//
//     plan#1                    the first visit of plan
//     each#2~3[blue].call       the item blue of each, in the third round of its second visit
//     each#2[blue].call#2       its second pass (it was retried by way of another step)
//     each#2[blue].call.mend    the handler that runs in its place
//     package#1~2/verify#1      a visit inside the second child that package#1 started
//
// An item's id may be any text, so what would end it is written as `%5D`.

import type { Frame } from "../errors/index.ts";

/** What the keys inside a workflow begin with; the root's is empty. */
export type KeyPrefix = string;

export const visitKey = (prefix: KeyPrefix, node: string, visit: number): string => `${prefix}${node}#${visit}`;

/** A plain retry of a container is a new round: what is inside has keys of its own there. */
export const roundKey = (key: string, round: number): string => (round > 1 ? `${key}~${round}` : key);

/** What keys begin with inside the child that a visit started in that round. */
export const childPrefix = (key: string, round: number): KeyPrefix => `${roundKey(key, round)}/`;

export const memberKey = (key: string, round: number, member: string): string => `${roundKey(key, round)}.${member}`;

export const itemKey = (key: string, round: number, item: string, step: string): string =>
  `${roundKey(key, round)}[${escaped(item)}].${step}`;

/** A member that runs again by way of another step: each pass has a key of its own, the first one the member's. */
export const passKey = (key: string, pass: number): string => (pass === 1 ? key : `${key}#${pass}`);

/** A step that runs in a member's place. */
export const handlerKey = (key: string, handler: string): string => `${key}.${handler}`;

/** A turn of an agent's dialog with a person. */
export const dialogKey = (key: string, turn: number): string => `${key}.dialog${turn}`;

/** What an agent asked a person to allow. */
export const permissionKey = (key: string, number: number): string => `${key}.permission${number}`;

/** The visit whose agent asks under such a key, if it is one. */
export const askingKey = (key: string): string | undefined => /^(.+)\.permission\d+$/s.exec(key)?.[1];

export const hookKey = (prefix: KeyPrefix, hook: string): string => `${prefix}hooks.${hook}`;

const escaped = (item: string): string => (/[%\]]/.test(item) ? item.replace(/%/g, "%25").replace(/\]/g, "%5D") : item);
const unescaped = (item: string): string => item.replace(/%5D/g, "]").replace(/%25/g, "%");

/** A part of a key is an item's id, in brackets, or a text outside of them. */
const PARTS = /\[[^\]]*\]|[^[]+/g;
const isItem = (part: string): boolean => part.startsWith("[");
const outside = (key: string, change: (part: string) => string): string =>
  key.replace(PARTS, (part) => (isItem(part) ? part : change(part)));

/** The key without its rounds: the same step or item of the same visits, however often a container was retried. */
export const withoutRounds = (key: string): string => outside(key, (part) => part.replace(/~\d+(?=[./]|$)/g, ""));

/** The same place inside a container so many of its rounds earlier, in the first at least. */
export function roundsEarlier(key: string, container: string, rounds: number): string {
  if (!isInside(key, container)) return key;
  const [, round = 1, rest = ""] = /^(?:~(\d+))?(.*)$/s.exec(key.slice(container.length)) ?? [];
  return `${roundKey(container, Math.max(1, Number(round) - rounds))}${rest}`;
}

/** The keys of the sub-workflow visits that a visit is in, outermost first, without their last round. */
export function enclosingKeys(key: string): string[] {
  const found: string[] = [];
  for (const { 0: part, index } of key.matchAll(PARTS)) {
    if (isItem(part)) continue;
    for (const slash of part.matchAll(/\//g)) found.push(key.slice(0, index + slash.index).replace(/~\d+$/, ""));
  }
  return found;
}

/** The keys of the group visits that a visit is in, outermost first, without their rounds. */
export function enclosingGroupKeys(key: string): string[] {
  const found: string[] = [];
  for (const { 0: part, index } of key.matchAll(PARTS)) {
    if (isItem(part)) continue;
    // A member follows after a point, an item in brackets; what stands after a point itself is one, in a later pass.
    for (const visit of part.matchAll(/(?<=^|\/)[^./#]*#\d+(?=(?:~\d+)?(?:\.|$))/g))
      found.push(key.slice(0, index + visit.index) + visit[0]);
  }
  return found.filter((group) => isInside(key, group));
}

/** The member or item of a group that a visit belongs to, by the key of its first pass, and the round that this is in. */
export function branchOfKey(key: string, group: string): { readonly branch: string; readonly round: number } {
  const [inside = "", round = "1"] = /^(?:~(\d+))?(?:\[[^\]]*\])?\.[^.#/]+/.exec(key.slice(group.length)) ?? [];
  return { branch: group + inside, round: Number(round) };
}

/** Whether a visit happened inside a group or sub-workflow, in any of its rounds. */
export const isInside = (key: string, container: string): boolean =>
  key.startsWith(container) && /^(~\d+)?[./[]/.test(key.slice(container.length));

/** The same, on any visit of the container. */
export const isInsideSomeVisit = (key: string, container: string): boolean => {
  const name = container.replace(/#\d+$/, "");
  return key.startsWith(name) && /^#\d+(~\d+)?[./[]/.test(key.slice(name.length));
};

/** Whether the visit is one of several that go on at the same time: somewhere above it is a group. */
export const isInGroup = (key: string): boolean => /[[.]/.test(key);

/** The name of the step that a key, or a sub-workflow path with a step at its end, leads to. */
export function stepOfKey(key: string): string {
  const flat = key.replace(/\[[^\]]*\]/g, "[]");
  const last = flat.split("/").at(-1) ?? flat;
  return (last.split("].").at(-1) ?? last).replace(/#\d+$/, "");
}

/** The item that a visit is about: of the for_each in its own file, not of one that its sub-workflow was called in. */
export function itemOfKey(key: string): string | null {
  let item: string | null = null;
  for (const [part] of key.matchAll(PARTS)) {
    if (isItem(part)) item = unescaped(part.slice(1, -1));
    else if (part.includes("/")) item = null;
  }
  return item;
}

/** Which visit of its node, or pass of its member, the key is about. */
export const visitNumber = (key: string): number => Number(/#(\d+)(?:~\d+)?$/.exec(key)?.[1] ?? 1);

/** The node and the number of a visit in the root workflow; nothing for one inside a group or a sub-workflow. */
export function rootVisit(key: string): { readonly node: string; readonly number: number } | undefined {
  const [, node, number] = /^([^#/[]+)#(\d+)$/.exec(key) ?? [];
  return node === undefined ? undefined : { node, number: Number(number) };
}

/** Whether the key is that of a handler which runs in an item's place. */
export const isHandlerKey = (key: string, step: string): boolean =>
  key.endsWith(`.${step}`) && !key.endsWith(`].${step}`);

/** An entry of an event's `path`: the step that called a sub-workflow, or the item of the for_each that did. */
export const slotOf = (step: string, item?: { readonly group: string; readonly key: string }): string =>
  item ? `${item.group}[${item.key}]` : step;

/** The slot of the sub-workflow that an error left, from the boundary that it crossed there. */
export const slotOfFrame = ({ node, group, item_key }: Frame): string =>
  slotOf(node, group === undefined || item_key === undefined ? undefined : { group, key: item_key });

/** The step or group that a slot belongs to. */
export const callerOfSlot = (slot: string): string => {
  const bracket = slot.indexOf("[");
  return bracket === -1 ? slot : slot.slice(0, bracket);
};

/** The item that a slot belongs to, if it is one of a for_each. */
export const itemOfSlot = (slot: string): readonly string[] =>
  slot.endsWith("]") && slot.includes("[") ? [slot.slice(slot.indexOf("[") + 1, -1)] : [];

/** `path/node`: by which a node is known where an event has no key. */
export const nodePath = (path: readonly string[], node: string): string =>
  path.length === 0 ? node : `${path.join("/")}/${node}`;
