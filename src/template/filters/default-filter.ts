// `default` replaces what is undefined, and none as well, as the workflows expect.

import { operation } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import { isTrue } from "../values/truth.ts";
import { Undefined } from "../values/undefined.ts";

const defaultFilter = operation(["default_value?", "boolean?"], (input, [fallback = "", boolean = false]) => {
  if (input instanceof Undefined || input === null) return fallback;
  return isTrue(boolean) && !isTrue(input) ? fallback : input;
});

export const DEFAULT_FILTERS: ReadonlyMap<string, Operation> = new Map([
  ["default", defaultFilter],
  ["d", defaultFilter],
]);
