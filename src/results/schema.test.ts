import { expect, it } from "vitest";
import { inputsSchema } from "./schema.ts";

it.each([
  ["takes what JSON can hold", { a: [1e308, { b: null }] }, []],
  ["refuses a number that it cannot", { a: [{ b: Number("1e999") }] }, ["has a number that JSON cannot hold"]],
])("inputs: %s", (_, inputs, messages) => {
  const read = inputsSchema.safeParse(inputs);
  expect(read.error?.issues.map(({ message }) => message) ?? []).toEqual(messages);
});
