// Lists made by a template may be changed by it (`{% do xs.append(1) %}`); lists that
// were handed in may not, because they belong to the run. Which is which is noted here.

import { spendItems } from "../limits.ts";
import type { Value } from "./value.ts";

const made = new WeakSet<object>();

/** Marks a new array as the template's own. */
export function list(items: Value[]): Value[] {
  spendItems(items.length);
  made.add(items);
  return items;
}

export function isOwnList(items: readonly Value[]): boolean {
  return made.has(items);
}
