import { expect, it } from "vitest";
import { passRateText } from "./rate.tsx";

it.each([
  [{ rate: 0.875, low: 0.529, high: 0.9776 }, "87.5 % (52.9 % to 97.8 %)"],
  [{ rate: 1, low: 0.5, high: 1 }, "100 % (50 % to 100 %)"],
  [{ rate: 0, low: 0, high: 0.5 }, "0 % (0 % to 50 %)"],
  [{ rate: null, low: null, high: null }, "not measured"],
])("a rate is said with its interval: %j", (rate, text) => {
  expect(passRateText(rate)).toBe(text);
});
