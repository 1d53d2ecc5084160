import { intOf, numberOf } from "../values/numbers.ts";
import { operation } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";

export const FLOAT_METHODS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["is_integer", operation([], (input) => Number.isInteger(numberOf(input)))],
]);

export const INT_METHODS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    "bit_length",
    operation([], (input) => {
      const n = BigInt(intOf(input) ?? 0);
      return n === 0n ? 0 : (n < 0n ? -n : n).toString(2).length;
    }),
  ],
]);
