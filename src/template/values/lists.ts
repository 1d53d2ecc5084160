// Lists made by a template may be changed by it (`{% do xs.append(1) %}`); lists that
// were handed in may not, because they belong to the run. A mark on the array tells them
// apart; it does not leave the engine. (A WeakSet did the same and was ten times slower.)

import { spend, spendItems } from "../limits.ts";
import type { Value } from "./value.ts";

const MADE: unique symbol = Symbol("made by the template");

/** Marks a new array as the template's own. */
export function list(items: Value[]): Value[] {
  spend(3);
  spendItems(items.length);
  (items as { [MADE]?: true })[MADE] = true;
  return items;
}

export function isOwnList(items: readonly Value[]): boolean {
  return (items as { [MADE]?: true })[MADE] === true;
}
