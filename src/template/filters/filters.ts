// All filters by name.

import type { Operation } from "../values/thing.ts";
import { DEFAULT_FILTERS } from "./default-filter.ts";
import { HTML_FILTERS } from "./html-filters.ts";
import { JSON_FILTERS } from "./json-filters.ts";
import { LIST_FILTERS } from "./list-filters.ts";
import { NUMBER_FILTERS } from "./number-filters.ts";
import { ORDER_FILTERS } from "./order-filters.ts";
import { PICK_FILTERS } from "./pick-filters.ts";
import { TEXT_FILTERS } from "./text-filters.ts";

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
