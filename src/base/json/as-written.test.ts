import { expect, it } from "vitest";
import { numbersAsWritten } from "./bounded.ts";

it.each([
  ["1.10", "1.10"],
  ["12345678901234567890", "12345678901234567890"],
  ["[2.0, 1e3, 2.5, 42, -7, 0]", ["2.0", "1e3", 2.5, 42, -7, 0]],
  [
    '{"a": {"1.10": [1.10]}, "b": "n 1.10 \\" 2.0", "c": true}',
    { a: { "1.10": ["1.10"] }, b: 'n 1.10 " 2.0', c: true },
  ],
])("of %s only numbers that print otherwise become texts", (text, value) => {
  expect(numbersAsWritten(text)).toEqual(value);
});
