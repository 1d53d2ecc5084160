import { Tuple, type Value } from "./value.ts";

/** What `groupby` gives: a pair that also answers to `.grouper` and `.list`. */
export class Group extends Tuple {}

export function groupOf(name: Value, items: Value): Group {
  return Object.setPrototypeOf([name, items], Group.prototype);
}
