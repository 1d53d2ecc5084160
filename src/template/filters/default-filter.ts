// `default` replaces what is undefined, and none as well, as the workflows expect; `d` is Jinja2's own and leaves none alone.

import { operation } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import { isTrue } from "../values/truth.ts";
import { Undefined } from "../values/undefined.ts";

const replacing = (isMissing: (input: unknown) => boolean): Operation =>
  operation(["default_value?", "boolean?"], (input, [fallback = "", boolean = false]) => {
    if (isMissing(input)) return fallback;
    return isTrue(boolean) && !isTrue(input) ? fallback : input;
  });

const isUndefined = (input: unknown): boolean => input instanceof Undefined;

export const DEFAULT_FILTERS: ReadonlyMap<string, Operation> = new Map([
  ["default", replacing((input) => isUndefined(input) || input === null)],
  ["d", replacing(isUndefined)],
]);
