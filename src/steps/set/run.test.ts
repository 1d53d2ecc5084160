// What `set` makes of templates and plain text.
import { describe, expect, it } from "vitest";
import { field, testAttempt, testScope } from "../../../test/support/engine/attempt.ts";
import { BadValue } from "../step-type.ts";
import { set } from "./run.ts";
import type { SetStep } from "./schema.ts";

const step = (fields: Partial<SetStep>): SetStep => ({
  type: "set",
  name: "s",
  input: [],
  routes: [],
  raise_when: [],
  cache: false,
  ...fields,
});
const scope = testScope({ n: 2, version: "1.10", list: [1, "x"], flag: true, digits: "007" });
const made = (fields: Partial<SetStep>): unknown => set.prepare(step(fields), scope).value;

describe("a value", () => {
  it.each([
    ["{{ n + 1 }}", 3],
    ["{{ version }}", "1.10"],
    ["v{{ n }}", "v2"],
    ["{{ n }}{{ n }}", 22],
    ["{{ list }}", [1, "x"]],
    ["{{ list | tojson }}", [1, "x"]],
    ["{{ none }}", null],
    ["42", 42],
    ["007x", "007x"],
    ["right", "right"],
    [7, 7],
    [
      { a: ["{{ n }}"], b: "{{ flag }}" },
      { a: [2], b: true },
    ],
  ])("%j is %j", (value, expected) => {
    expect(made({ value })).toEqual(expected);
  });

  it("may be several by name", () => {
    expect(made({ values: { a: "{{ n }}", b: "True", c: null } })).toEqual({ a: 2, b: true, c: null });
  });

  it.each([
    ["string", "{{ n }}", "2"],
    ["string", "1.10", "1.10"],
    ["string", ["{{ n }}"], "[2]"],
    ["number", "{{ version }}", 1.1],
    ["integer", "{{ n }}", 2],
    ["integer", "{{ '4' }}", 4],
    ["boolean", "{{ flag }}", true],
    ["boolean", "yes", true],
    ["boolean", "On", true],
    ["boolean", "y", true],
    ["boolean", "NO", false],
    ["number", "1e3", 1000],
    ["integer", "1_000", 1000],
    ["list", "[1, b]", [1, "b"]],
    ["list", "- x\n- y", ["x", "y"]],
    ["dict", "k: v", { k: "v" }],
    ["dict", "{{ '{a: 1}' }}", { a: 1 }],
    ["boolean", "{{ 0 }}", false],
    ["list", "{{ list }}", [1, "x"]],
    ["dict", "{{ {'a': n} }}", { a: 2 }],
    ["auto", "{{ n }}", 2],
  ] as const)("as %s: %j is %j", (output_type, value, expected) => {
    expect(made({ output_type, value })).toEqual(expected);
  });

  it.each([
    ["number", "many"],
    ["number", "{{ flag }}"],
    ["integer", "{{ version }}"],
    ["boolean", "maybe"],
    ["list", "{{ n }}"],
    ["list", "a, b"],
    ["list", "[1, b"],
    ["list", "[1e999]"],
    ["dict", "k: v: w"],
    ["dict", "{{ list }}"],
  ] as const)("that is no %s is refused: %j", (output_type, value) => {
    expect(() => made({ output_type, value })).toThrow(BadValue);
  });
});

describe("a declared type wins over what the text looks like", () => {
  const output = {
    text: field({ type: "string" as const }),
    number: field({ type: "number" as const }),
    flag: field({ type: "boolean" as const }),
    list: field({ type: "array" as const, items: field({ type: "string" as const }) }),
    inner: field({ type: "object" as const, properties: { text: field({ type: "string" as const }) } }),
  };
  it.each([
    [{ text: "{{ n }}" }, { text: "2" }],
    [{ text: "{{ '42' | trim }}" }, { text: "42" }],
    [{ text: "42" }, { text: "42" }],
    [{ text: "{{ flag }}" }, { text: "True" }],
    [{ text: "{{ list | tojson }}" }, { text: '[1, "x"]' }],
    [{ text: "{{ list }}" }, { text: [1, "x"] }],
    [{ text: "{{ none }}" }, { text: null }],
    [{ number: "{{ version }}" }, { number: 1.1 }],
    [{ number: "{{ digits | trim }}" }, { number: 7 }],
    [{ number: "1e3" }, { number: 1000 }],
    [{ number: "many" }, { number: "many" }],
    [{ flag: "{{ 'yes' }}" }, { flag: true }],
    [{ list: ["{{ n }}", "1"] }, { list: ["2", "1"] }],
    [{ inner: { text: "{{ n }}", other: "{{ n }}" } }, { inner: { text: "2", other: 2 } }],
    [{ other: "{{ n ~ n }}" }, { other: 22 }],
  ])("%j is %j", (values, expected) => {
    expect(made({ values, output })).toEqual(expected);
    expect(made({ value: values, output })).toEqual(expected);
  });
});

it.each([
  [{ a: 1.1 }, "string", "Put it in quotes, or end its expression in `| string`, to keep it as text."],
  [{ a: "9007199254740993" }, "number", "Declare `type: string` to keep the text as it is."],
] as const)("says how %j is kept where a %s is declared", async (value, type, said) => {
  const output = { a: field({ type }) };
  expect(await set.execute({ value, output }, testAttempt())).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining(said) },
  });
});

it("says how a value is kept that is not of its `output_type`", () => {
  expect(() => made({ output_type: "number", value: "9007199254740993" })).toThrow(
    "output_type is number. `output_type: string` keeps it as text",
  );
});

it("is told of, and held against its schema", async () => {
  const attempt = testAttempt();
  const output = { a: field({ type: "number" as const }) };
  expect(await set.execute({ value: { a: 1 }, output }, attempt)).toEqual({ ok: true, output: { a: 1 } });
  expect(attempt.emitted("set_completed")).toEqual([{ agent_name: "probe", output_type: "dict", output_keys: ["a"] }]);
  expect(await set.execute({ value: { a: "1" }, output }, attempt)).toMatchObject({
    ok: false,
    error: { kind: "internal.schema_violation", details: { source: "set", failed_field: "a" } },
    output: { a: "1" },
  });
});
