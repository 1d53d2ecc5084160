import { describe, expect, it } from "vitest";
import { readNumber } from "./coerce.ts";
import { coerce, compile, evaluate, TemplateError } from "./index.ts";

describe("coerce", () => {
  it.each([
    ["42", 42],
    [" -3 ", -3],
    ["2.5", 2.5],
    ["-0.25", -0.25],
    ["0", 0],
    ["9007199254740991", 9007199254740991],
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
      "1.5e3",
      "1e+21",
      "0.0000001",
      "+5",
      "007",
      "0012345",
      "1.10",
      "1.0",
      "1.",
      ".5",
      "-0",
      "1_000",
      "0.30000000000000000004",
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
    ["{{ v | trim }}", "1.10"],
    ["{{ n | string }}", "5"],
    ["{{ (n + 1) | string }}", "6"],
    ["{{ yes | string }}", "True"],
    ["{{ n | string if yes else 'none' }}", "5"],
    ["{{ 1 if no else n | string }}", "5"],
    ["\n{% set m = n %}\n{{ m | string }}\n", "5"],
    ["{% if yes %}{{ n | string }}{% else %}0{% endif %}", 5],
    ["{{ n | string }}{{ n | string }}", "55"],
    ["{{ n | string | trim }}", 5],
    ["{{ n | string }}0", 50],
    ["1.{{ n * 2 }}", "1.10"],
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

describe("a number that is asked for", () => {
  it.each([
    ["1.10", 1.1],
    [" 0012345 ", 12345],
    ["1e3", 1000],
    ["+5", 5],
    ["1_000", 1000],
    [".5", 0.5],
    ["-0", 0],
  ])("%j is read as %j", (text, value) => {
    expect(readNumber(text)).toBe(value);
  });

  it.each(["", " ", "abc", "1__0", "inf", "1e999", "9007199254740993", "1.2.3"])("is not in %j", (text) => {
    expect(readNumber(text)).toBeUndefined();
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
