import { describe, expect, test } from "vitest";
import { parseAnswer, shapeForApi, unwrapped } from "./answer.ts";

describe("the JSON in an answer", () => {
  test.each([
    ['{"a": 1}', { a: 1 }],
    ["  [1, 2]\n", [1, 2]],
    ['Sure:\n```json\n{"a": 1}\n```\nDone.', { a: 1 }],
    ['```\n{"a": 1}\n```', { a: 1 }],
    ['{"draft": true} no wait\n```json\n{"a": 1}\n```', { a: 1 }],
    ['The answer is {"a": "}"} as you see', { a: "}" }],
    ['Use {braces}, like so: {"a": [1, {"b": 2}]}', { a: [1, { b: 2 }] }],
    ["no JSON at all", "no JSON at all"],
    ['{"a": 1', '{"a": 1'],
    ["", ""],
  ])("in %j is %j", (text, value) => {
    expect(parseAnswer(text, false)).toEqual(value);
  });

  test("is not looked for inside of one that is nested too deeply", () => {
    const text = `{"a": ${"[".repeat(520)}1${"]".repeat(520)}}`;
    expect(parseAnswer(text, false)).toBe(text);
  });

  test("is found or given up on quickly in a long text full of brackets", () => {
    expect(parseAnswer("{[".repeat(200_000), false)).toBeTypeOf("string");
  });

  test("is unpacked only when it was asked for in a wrapper", () => {
    const text = '{"answer_or_error": {"a": 1}}';
    expect(parseAnswer(text, true)).toEqual({ a: 1 });
    expect(parseAnswer(text, false)).toEqual({ answer_or_error: { a: 1 } });
    expect(parseAnswer('{"a": 1}', true)).toEqual({ a: 1 });
  });
});

describe("the shape that APIs take", () => {
  const plain = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

  test("closes objects and says when it is strict", () => {
    expect(shapeForApi(plain)).toEqual({
      schema: { ...plain, additionalProperties: false },
      wrapped: false,
      strict: true,
    });
  });

  test.each([
    ["an optional field", { ...plain, required: [] }],
    ["a free object", { ...plain, properties: { a: { type: "object" } } }],
    ["a constraint", { ...plain, properties: { a: { type: "string", minLength: 3 } } }],
    ["a free object in a list", { ...plain, properties: { a: { type: "array", items: { type: "object" } } } }],
  ])("is not strict with %s", (_name, schema) => {
    expect(shapeForApi(schema).strict).toBe(false);
  });

  test("puts an alternative at the root, and a list, inside an object", () => {
    for (const schema of [{ anyOf: [plain, plain] }, { type: "array", items: plain }]) {
      const shaped = shapeForApi(schema);
      expect(shaped).toMatchObject({ wrapped: true, strict: true, schema: { type: "object" } });
      expect(Object.keys(shaped.schema)).not.toContain("anyOf");
    }
  });

  test("leaves what only looks like a schema alone", () => {
    const schema = { ...plain, properties: { a: { enum: [{ properties: {} }] }, properties: { type: "string" } } };
    expect(shapeForApi(schema).schema.properties).toEqual(schema.properties);
  });

  test("leaves an answer without the wrapper as it is", () => {
    expect(unwrapped({ a: 1 })).toEqual({ a: 1 });
    expect(unwrapped("text")).toBe("text");
  });
});
