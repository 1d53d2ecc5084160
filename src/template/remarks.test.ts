// What a template says about itself beside what it gives: arithmetic on text that looks like a number.
import { describe, expect, it } from "vitest";
import { withRemarks } from "./error.ts";
import { compile, compileCondition, evaluate, render } from "./index.ts";

const context = { p: "10.50", q: "9.90", n: 2, word: "ab", xs: [1], f: 1.5 };

function remarksOn(work: () => unknown): string[] {
  const remarks: string[] = [];
  withRemarks((message) => remarks.push(message), work);
  return remarks;
}

describe("text that looks like a number", () => {
  it.each([
    ["p * 2", "repeated, not multiplied. Write `p | float`"],
    ["2 * p", "repeated, not multiplied. Write `p | float`"],
    ["p + q", "joined, not added. Write `| float` behind each to add them, or `~` to join them."],
    ["p > q", "compared letter by letter. Write `| float` behind each"],
    ["p <= q", "compared letter by letter"],
  ])("is remarked on in %s", (expression, said) => {
    expect(remarksOn(() => evaluate(expression, context))).toEqual([expect.stringContaining(said)]);
  });

  it("is remarked on in text, in a value and in a condition", () => {
    for (const work of [
      () => render("It costs {{ p * 2 }}.", context),
      () => compile("{{ p * 2 }}").value(context),
      () => compileCondition("p > q").test(context),
      () => compileCondition("{{ p > q }}").test(context),
    ])
      expect(remarksOn(work)).toHaveLength(1);
  });

  it.each([
    "n * 2",
    "p | float * 2",
    "p | float + q | float",
    "p ~ q",
    "p + word",
    "word * 2",
    "xs + xs",
    "'-' * 20",
    "p == q",
    "'2024' > '2023'",
    "p in ['10.50']",
    "f * 2",
  ])("is not what stands in %s", (expression) => {
    expect(remarksOn(() => evaluate(expression, context))).toEqual([]);
  });

  it.each(["p - 1", "p / 2", "p + 1", "p > 5", "-p", "[p, q] | sum"])("is named where %s fails", (expression) => {
    expect(() => evaluate(expression, context)).toThrow("The text looks like a number; `| float` makes it one.");
  });

  it.each(["word - 1", "word > 5"])("is not named where %s fails", (expression) => {
    expect(() => evaluate(expression, context)).not.toThrow(/float/);
  });
});

it("nobody listens after a render that raised", () => {
  const remarks: string[] = [];
  expect(() =>
    withRemarks(
      (message) => remarks.push(message),
      () => evaluate("missing", {}),
    ),
  ).toThrow();
  evaluate("p * 2", context);
  expect(remarks).toEqual([]);
});
