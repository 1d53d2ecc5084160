import { describe, expect, it } from "vitest";
import { resolveInputs } from "./inputs.ts";

const field = (type: "string" | "number" | "boolean" | "array" | "object", more: object = {}) => ({
  type,
  required: true,
  secret: false,
  ...more,
});

describe("inputs of a workflow", () => {
  it("takes anything when the file declares none", () => {
    expect(resolveInputs(undefined, { x: 1 }, "refuse")).toEqual({ ok: true, inputs: { x: 1 } });
  });

  it("fills in defaults, and the zero of the type for what is optional", () => {
    const fields = {
      a: field("string", { default: "x" }),
      b: field("array", { required: false }),
      c: field("number", { required: false }),
    };
    expect(resolveInputs(fields, {}, "refuse")).toEqual({ ok: true, inputs: { a: "x", b: [], c: 0 } });
  });

  it("says everything that is wrong at once", () => {
    const fields = { version: field("string"), count: field("number") };
    const resolved = resolveInputs(fields, { count: "many", colour: "red" }, "refuse");
    expect(resolved.ok ? [] : resolved.problems.map(({ input }) => input)).toEqual(["version", "count", "colour"]);
  });

  it("shows the beginning of a long value", () => {
    const resolved = resolveInputs({ count: field("number") }, { count: `many${"y".repeat(99)}` }, "refuse");
    expect(resolved.ok ? "" : resolved.problems[0]?.message).toContain(`"many${"y".repeat(54)}…`);
  });

  it("takes null for what is optional, and keeps it", () => {
    const fields = { a: field("string", { required: false, default: "x" }), b: field("number", { default: 2 }) };
    expect(resolveInputs(fields, { a: null, b: null }, "refuse")).toEqual({ ok: true, inputs: { a: null, b: null } });
  });

  it("drops what a child does not declare", () => {
    expect(resolveInputs({ a: field("string") }, { a: "x", b: 1 }, "drop")).toEqual({ ok: true, inputs: { a: "x" } });
  });

  it.each([
    ["a boolean is no number", "number", true],
    ["a list is no object", "object", []],
    ["null is nothing", "string", null],
  ] as const)("%s", (_, type, value) => {
    expect(resolveInputs({ a: field(type) }, { a: value }, "refuse").ok).toBe(false);
  });
});
