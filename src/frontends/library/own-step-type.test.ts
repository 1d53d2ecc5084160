// An own step that is read without the schema library must read as with it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/property-runs.ts";
import type { JsonSchema } from "../../base/errors/mapping.ts";
import { checkedBySchema } from "../../services/own-steps/own-step-schema.ts";
import { ownStepType, plainSchema } from "../../services/own-steps/own-step-type.ts";
import { defineStep } from "./define-step.ts";
import { NOT_PLAIN, plainCopy } from "./outcome-of.ts";

const PLAIN: readonly JsonSchema[] = [
  { type: "object" },
  { type: "object", additionalProperties: true },
  { type: "object", properties: { a: { type: "string" } }, additionalProperties: {} },
  { type: "object", properties: { a: { type: "string" } } },
  { type: "object", properties: { a: { type: "integer", description: "how many" } }, required: ["a"] },
  { type: "object", properties: { a: { type: "number" }, b: { type: "boolean" } }, required: ["b"] },
  { type: "object", properties: { a: { type: "string", enum: ["x", "y"] }, b: {} } },
  { type: "object", properties: { a: { type: "array", items: { type: "integer" } }, b: { type: "array" } } },
  {
    type: "object",
    properties: { a: { type: "object", properties: { b: { type: "null" } }, required: ["b"] } },
    required: ["a"],
  },
];

const value = fc.oneof(
  fc.constantFrom("x", "y", "", "z", null, true, false, 0, 1, -1, 2.5, 2 ** 60, Number.NaN),
  fc.array(fc.constantFrom(1, "x", 2.5, null), { maxLength: 3 }),
  fc.record({ b: fc.constantFrom(null, 1) }, { requiredKeys: [] }),
);
const values = fc.record({ a: value, b: value }, { requiredKeys: [] });

describe("a plain schema", () => {
  it("lets through only what the library reads as the very same", () => {
    fc.assert(
      fc.property(fc.constantFrom(...PLAIN), values, (schema, given) => {
        if (!plainSchema(schema)?.(given)) return;
        expect(checkedBySchema(schema, given)).toEqual({ ok: true, values: given });
      }),
      { numRuns: runs(2000) },
    );
  });

  it("knows each of these, so that the library is not loaded for them", () => {
    expect(PLAIN.filter((schema) => !plainSchema(schema))).toEqual([]);
    expect(plainSchema(PLAIN[4])?.({ a: 3 })).toBe(true);
  });

  it.each<JsonSchema>([
    { type: "object", properties: { a: { type: "string", minLength: 2 } } },
    { type: "object", properties: { a: { type: "integer", default: 3 } } },
    { type: "object", additionalProperties: false },
    { type: "object", anyOf: [{ required: ["a"] }] },
    { type: ["object", "null"] },
    { $ref: "#/x" },
  ])("leaves %j to the library", (schema) => {
    expect(plainSchema(schema)).toBeUndefined();
  });
});

describe("a step of an own type", () => {
  const step = (schema: JsonSchema) =>
    ownStepType(defineStep({ type: "own", description: "d", schema, execute: () => ({ ok: true, output: 1 }) }));
  const COMMON = [
    {},
    { description: "d", timeout: "2m", cache: true, raises: ["a.b"] },
    {
      routes: [
        { to: "$end", when: "{{ x }}" },
        { on_error: "a.*", to: "b" },
      ],
      input: ["a.output"],
    },
    { timeout: -1 },
    { unknown: 1 },
    { cache: { ttl: "1h" }, phase: "p" },
  ];

  it("is read without its schema as with it, the order of keys included", () => {
    let read = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...PLAIN),
        fc.constantFrom(...COMMON),
        values,
        fc.boolean(),
        (schema, common, own, isText) => {
          const entry = step(schema);
          const item = { name: "n", type: "own", ...own, ...(isText ? { a: "{{ x }}" } : {}), ...common };
          const quick = entry.quick?.(item);
          if (!quick) return;
          read++;
          expect(JSON.stringify(quick)).toBe(JSON.stringify(entry.schema().parse(item)));
        },
      ),
      // Most of these are no plain steps; it takes many until enough are.
      { numRuns: 1000 },
    );
    expect(read).toBeGreaterThan(20);
  });
});

describe("a copy of plain data", () => {
  it("is what JSON makes of it, or JSON is asked", () => {
    const odd = fc.constantFrom(
      undefined,
      -0,
      Number.NaN,
      new Date(0),
      () => 1,
      Symbol("s"),
      new Map(),
      Object.create(null),
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.object({ values: [fc.string(), fc.integer(), odd] })), (data) => {
        const copy = plainCopy(data);
        if (copy === NOT_PLAIN) return;
        expect(JSON.stringify(copy)).toBe(JSON.stringify(data));
        expect(copy).toEqual(JSON.parse(JSON.stringify(data)));
      }),
    );
  });

  it("shares nothing with what it was made of", () => {
    const data = { a: [{ b: 1 }] };
    const copy = plainCopy(data) as typeof data;
    data.a[0] = { b: 2 };
    expect(copy).toEqual({ a: [{ b: 1 }] });
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(plainCopy(circle)).toBe(NOT_PLAIN);
  });
});
