import { expect, it } from "vitest";
import * as z from "zod";
import { misfitOf, misfitText } from "./misfit.ts";

const shape = z.strictObject({
  name: z.string().min(1).max(5).optional(),
  count: z.int().min(2).multipleOf(2).optional(),
  mode: z.enum(["quick", "whole"]).optional(),
  tags: z.array(z.string()).max(1).optional(),
  rows: z.array(z.object({ id: z.string() })).optional(),
  code: z.string().regex(/^a/).optional(),
  either: z.union([z.object({ a: z.string() }), z.object({ b: z.string(), c: z.string() })]).optional(),
});

it.each([
  [null, "it must be an object, but it is null"],
  [undefined, "it must be an object, but it is undefined"],
  [{ name: "" }, "`name` must not be empty"],
  [{ name: "longer" }, "`name` must have at most 5 characters"],
  [{ name: true }, "`name` must be text, but it is true or false"],
  [{ count: 2.5 }, "`count` must be a whole number, but it is a fraction"],
  [{ count: 1 }, "`count` must be at least 2"],
  [{ count: 3 }, "`count` must be a multiple of 2"],
  [{ mode: "other" }, "`mode` must be `quick` or `whole`"],
  [{ tags: ["a", "b"] }, "`tags` must have at most 1 item"],
  [{ rows: [{ id: "a" }, {}] }, "`rows.1.id` is missing"],
  [{ code: "b" }, "`code` must match /^a/"],
  [{ nmae: "a" }, "it must not have `nmae`: not known here"],
  [{ nmae: "a", cuont: 1 }, "it must not have `nmae` or `cuont`: not known here"],
  [{ either: {} }, "it needs either.a, or either.b and either.c"],
  [{ either: { b: "b", c: 1 } }, "`either.c` must be text, but it is a number"],
])("%j: %s", (value, text) => {
  const { error } = shape.safeParse(value);
  expect(misfitText(error!.issues[0]!, value)).toBe(text);
});

it("names the place and what is wanted there", () => {
  const value = { rows: [{ id: 3 }] };
  const { error } = shape.safeParse(value);
  expect(misfitOf(error!.issues[0]!, value)).toEqual({ path: ["rows", 0, "id"], wanted: "must be text" });
});
