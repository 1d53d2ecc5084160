// All filters by name.

import { isTrue } from "../values/compare.ts";
import { operation } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import { Undefined } from "../values/undefined.ts";
import { HTML_FILTERS } from "./html-filters.ts";
import { ORDER_FILTERS, PICK_FILTERS } from "./item-filters.ts";
import { JSON_FILTERS } from "./json-filters.ts";
import { LIST_FILTERS } from "./list-filters.ts";
import { NUMBER_FILTERS } from "./number-filters.ts";
import { TEXT_FILTERS } from "./text-filters.ts";

const replacing = (isMissing: (input: unknown) => boolean): Operation =>
  operation(["default_value?", "boolean?"], (input, [fallback = "", boolean = false]) => {
    if (isMissing(input)) return fallback;
    return isTrue(boolean) && !isTrue(input) ? fallback : input;
  });

const isUndefined = (input: unknown): boolean => input instanceof Undefined;

/**
 * `default` replaces what is undefined, and none as well, as the workflows expect; `d` is Jinja2's own and leaves none
 * alone.
 */
const DEFAULT_FILTERS: ReadonlyMap<string, Operation> = new Map([
  ["default", replacing((input) => isUndefined(input) || input === null)],
  ["d", replacing(isUndefined)],
]);

export const FILTERS: ReadonlyMap<string, Operation> = new Map([
  ...DEFAULT_FILTERS,
  ...TEXT_FILTERS,
  ...NUMBER_FILTERS,
  ...LIST_FILTERS,
  ...PICK_FILTERS,
  ...ORDER_FILTERS,
  ...JSON_FILTERS,
  ...HTML_FILTERS,
]);

/** How each filter is called, by name: `replace(old, new, count?)`. For editors. */
export const filterSignatures = (): ReadonlyMap<string, string> =>
  new Map(
    [...FILTERS].map(([name, { parameters }]) => [
      name,
      parameters === undefined ? `${name}(…)` : parameters.length > 0 ? `${name}(${parameters.join(", ")})` : name,
    ]),
  );
