import { expect, it } from "vitest";
import { z } from "zod";
import { misfitText } from "../errors/misfit.ts";
import { inputsSchema } from "./schema.ts";

it.each([
  ["takes what JSON can hold", { a: [1e308, { b: null }] }, []],
  [
    "refuses a number that it cannot",
    { a: [{ b: Number("1e999") }] },
    ["`inputs` must have only numbers that JSON can hold"],
  ],
])("inputs: %s", (_, inputs, messages) => {
  const given = { inputs };
  const read = z.object({ inputs: inputsSchema }).safeParse(given);
  expect(read.error?.issues.map((issue) => misfitText(issue, given)) ?? []).toEqual(messages);
});
