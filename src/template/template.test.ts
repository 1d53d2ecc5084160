import { describe, expect, it } from "vitest";
import { coerce, compile, evaluate, TemplateError } from "./index.ts";

describe("coerce", () => {
  it.each([
    ["42", 42],
    [" -3 ", -3],
    ["+5", 5],
    ["007", 7],
    ["1.10", 1.1],
    ["1.5e3", 1500],
    ["1_000", 1000],
    [".5", 0.5],
    ["-0", 0],
    ["True", true],
    [" False\n", false],
    ["None", null],
    ["true", true],
    ["null", null],
    ['["a", 1]', ["a", 1]],
    ['{"a": {}}', { a: {} }],
    ['"quoted"', "quoted"],
  ])("reads %j as a value", (text, value) => {
    expect(coerce(text)).toEqual(value);
  });

  it.each(
    [
      "",
      " ",
      "text",
      "1.2.3",
      "1__0",
      "1e3",
      "inf",
      "nan",
      "0x10",
      "1e999",
      "9007199254740993",
      "{'a': 1}",
      "[1, 2",
      "TRUE",
      "12 apples",
      "1".repeat(100_000),
      `${"1".repeat(100_000)}x`,
    ].map((text) => [text.slice(0, 20), text] as const),
  )("keeps a text that spells none: %s", (_start, text) => {
    expect(coerce(text)).toBe(text);
  });
});

describe("the value of a template", () => {
  const context = { v: "1.10", n: 5, xs: [1, { a: "2" }], yes: true, no: null, word: "True" };

  it.each([
    ["{{ n }}", 5],
    ["  {{ xs }}\n", [1, { a: "2" }]],
    ["{{ no }}", null],
    ["{{ v }}", "1.10"],
    ["{{ xs[1].a }}", "2"],
    ["{{ xs[1]['a'] }}", "2"],
    ["{{ word }}", "True"],
    ["{{ v | trim }}", 1.1],
    ["{{ word | upper }}", "TRUE"],
    ["{{ xs | tojson }}", [1, { a: "2" }]],
    ["{{ n ~ n }}", 55],
    ["{{ n }}{{ n }}", 55],
    ["v{{ n }}", "v5"],
    ["{% if yes %}{{ n }}{% endif %}", 5],
    ["{% if not yes %}x{% endif %}", ""],
    ["42", 42],
    ["plain", "plain"],
    ["{{ 6 / 2 }}", 3],
    ["{{ (1, 2) }}", [1, 2]],
    ["{{ {'a': (1,), 2: none} }}", { a: [1], "2": null }],
    ["{{ xs | map(attribute='a', default='-') | list }}", ["-", "2"]],
    ["{{ xs | map('string') }}", ["1", "{'a': '2'}"]],
    ["{{ range(3) }}", [0, 1, 2]],
    ["{{ 2 ** 70 }}", "1180591620717411303424"],
    ["{{ 'x' if no }}", ""],
    ["{{ '<' | e }}", "&lt;"],
  ])("%s is %j", (source, value) => {
    expect(compile(source).value(context)).toStrictEqual(value);
  });

  it("hands data out as it came in, not a copy", () => {
    expect(compile("{{ xs }}").value(context)).toBe(context.xs);
  });

  it("raises for what is no data", () => {
    expect(() => compile("{{ range }}").value({})).toThrow(TemplateError);
    expect(() => compile("{{ nope }}").value({})).toThrow("'nope' is not defined");
  });
});

describe("a compiled template", () => {
  it.each([
    ["text", false, undefined],
    ["{# note #}text", false, undefined],
    ["{{ a.b }}", true, "path"],
    [" {{ a['b'][0] }} ", true, "path"],
    ["{{ a | upper }}", true, "expression"],
    ["{{ a() }}", true, "expression"],
    ["{{ a }} {{ b }}", true, undefined],
    ["{% if a %}{{ a }}{% endif %}", true, undefined],
  ] as const)("%s knows what it is", (source, hasExpressions, single) => {
    expect(compile(source)).toMatchObject({ source, hasExpressions, single });
  });

  it("is compiled once", () => {
    expect(compile("{{ once }}")).toBe(compile("{{ once }}"));
  });
});

describe("evaluate", () => {
  it.each([
    ["1 + 1", 2],
    ["xs | map('upper') | list", ["A", "B"]],
    ["{'k': xs[0]}", { k: "a" }],
    ["missing | default('d')", "d"],
    ["1, 2", [1, 2]],
  ])("%s is %j", (expression, value) => {
    expect(evaluate(expression, { xs: ["a", "b"] })).toEqual(value);
  });

  it.each(["missing", "1 +", "", "{{ 1 }}", "a b"])("raises for %j", (expression) => {
    expect(() => evaluate(expression, {})).toThrow(TemplateError);
  });
});
