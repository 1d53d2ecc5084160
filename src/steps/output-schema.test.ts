// What fits an `output:` and what does not.
import { describe, expect, it } from "vitest";
import { field } from "../../test/support/engine/attempt.ts";
import type { OutputField } from "../language/schema/index.ts";
import { toJsonSchema } from "./agent/request.ts";
import { schemaViolation, violations } from "./output-schema.ts";

const text = field({ type: "string" as const });
const number = field({ type: "number" as const });

const reasons = async (fields: Record<string, OutputField>, output: unknown): Promise<string[]> =>
  (await violations(fields, output)).map(({ path, reason }) => `${path}: ${reason}`);

describe("a field", () => {
  it.each<[string, OutputField, unknown]>([
    ["text", text, ""],
    ["a number", number, -1.5],
    ["a boolean", field({ type: "boolean" as const }), false],
    ["a list of anything", field({ type: "array" as const }), [1, "x", null]],
    ["an object of anything", field({ type: "object" as const }), {}],
    ["null where it may be", { ...text, nullable: true }, null],
    ["one of a few", { ...text, enum: ["a", "b"] }, "b"],
    ["a pattern found in the middle", { ...text, pattern: "[0-9]+" }, "v12x"],
    ["a length in characters", { ...text, minLength: 1, maxLength: 1 }, "👍"],
    ["a number at its bounds", { ...number, minimum: 1, maximum: 1 }, 1],
  ])("takes %s", async (_, fields, value) => {
    expect(await reasons({ f: fields, extra: { ...text, required: false } }, { f: value, more: 1 })).toEqual([]);
  });

  it.each<[OutputField, unknown, string]>([
    [text, 1, "f: a string is expected, and it is 1"],
    [number, "1", 'f: a number is expected, and it is the text "1"'],
    [number, Number.NaN, "f: a number is expected, and it is NaN"],
    [number, true, "f: a number is expected, and it is true"],
    [text, null, "f: a string is expected, and it is null"],
    [field({ type: "array" as const }), {}, "f: an array is expected, and it is an object"],
    [field({ type: "object" as const }), [], "f: an object is expected, and it is an array"],
    [{ ...text, enum: ["a", "b"] }, "c", 'f: "c" is none of "a", "b"'],
    [{ ...text, pattern: "^v[0-9]+$" }, "12", 'f: "12" does not match ^v[0-9]+$'],
    [{ ...text, minLength: 2 }, "👍", "f: it has 1 characters, and needs at least 2"],
    [{ ...text, maxLength: 1 }, "ab", "f: it has 2 characters, and may have at most 1"],
    [{ ...number, minimum: 0 }, -1, "f: -1 is less than 0"],
    [{ ...number, maximum: 0 }, 1, "f: 1 is more than 0"],
    [{ ...text, pattern: "(" }, "x", "f: the pattern ( cannot be used"],
  ])("%# says what is wrong", async (fields, value, reason) => {
    expect((await reasons({ f: fields }, { f: value }))[0]).toContain(reason);
  });

  it("with a pattern that backtracks does not hang", async () => {
    expect(await reasons({ f: { ...text, pattern: "^(a+)+$" } }, { f: `${"a".repeat(40)}!` })).toHaveLength(1);
  });
});

it("all faults are found, each with its path", async () => {
  const fields = {
    name: text,
    tags: field({ type: "array" as const, items: text }),
    by: field({ type: "object" as const, properties: { id: number, note: { ...text, required: false } } }),
  };
  expect(await reasons(fields, { tags: ["a", 1, null], by: { note: 1 } })).toEqual([
    "name: it is missing",
    "tags[1]: a string is expected, and it is 1",
    "tags[2]: a string is expected, and it is null",
    "by.id: it is missing",
    "by.note: a string is expected, and it is 1",
  ]);
});

it("an output that is no object is one fault, and no schema is none", async () => {
  expect(await reasons({ f: text }, "x")).toEqual([': an object is expected, and it is the text "x"']);
  expect(await schemaViolation("probe", "http", undefined, "x")).toBeUndefined();
  expect(await schemaViolation("probe", "http", { f: text }, {})).toMatchObject({
    kind: "internal.schema_violation",
    message: "the output of probe does not fit its `output:`: f: it is missing.",
    details: { node: "probe", source: "http", reason: "f: it is missing", failed_field: "f" },
  });
});

it("becomes a JSON Schema", () => {
  const fields = {
    level: { ...text, enum: ["low"], nullable: true, description: "How bad" },
    tags: field({ type: "array" as const, items: { ...text, pattern: "x" } }),
    by: field({ type: "object" as const, properties: { id: number, note: { ...text, required: false } } }),
  };
  expect(toJsonSchema(fields)).toEqual({
    type: "object",
    properties: {
      level: { type: ["string", "null"], enum: ["low", null], description: "How bad" },
      tags: { type: "array", items: { type: "string", pattern: "x" } },
      by: { type: "object", properties: { id: { type: "number" }, note: { type: "string" } }, required: ["id"] },
    },
    required: ["level", "tags", "by"],
  });
});
