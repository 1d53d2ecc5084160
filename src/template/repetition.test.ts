import { describe, expect, it } from "vitest";
import { compile } from "./template.ts";

const value = (source: string, context: Record<string, unknown> = {}): unknown => compile(source).value(context);

describe("a value that is small in memory and huge once it is written", () => {
  it.each([
    "{{ ['a' * 100000] * 100000 }}",
    "{{ {'x': ['a' * 100000] * 100000} }}",
    "{{ [['a' * 1000] * 1000] * 1000 }}",
    "{{ [big] * 1000 }}",
  ])("%s is stopped", (source) => {
    const big = { text: Array.from({ length: 10_000 }, (_, n) => `item ${n}`) };
    expect(() => value(source, { big })).toThrow(/stopped after/);
  });

  it("what was given to the template leaves as it came, however large", () => {
    const big = Array.from({ length: 200 }, () => "x".repeat(1_000_000));
    expect(value("{{ big }}", { big })).toBe(big);
    expect(value("{{ [a, b] }}", { a: { big }, b: { big: "small" } })).toEqual([{ big }, { big: "small" }]);
  });
});
