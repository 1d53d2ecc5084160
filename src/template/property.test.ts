import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../test/support/property-runs.ts";
import { compile, compileCondition, evaluate, references, render, TemplateError } from "./index.ts";

/** Runs it; anything but a result or a TemplateError fails the property. */
function settles(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
  }
}

const value = fc.jsonValue();
const context = fc.dictionary(fc.constantFrom("a", "b", "xs", "d", "n", "s", "__proto__", "constructor"), value);

const word = fc.constantFrom(
  ..."a b xs d n s 1 2.5 -3 'x' '%s%d' [] {} () [1,2] none true a.b xs[0] xs[1:] d.items() s.split() range(3) loop caller()".split(
    " ",
  ),
  ..."+ - * / // % ** ~ == < > in not and or is if else ( ) [ ] { } , : . | = defined odd upper list join map default".split(
    " ",
  ),
  ..."select sort groupby('a') tojson int float round format first sum batch(2) truncate(3) replace('a','b') center".split(
    " ",
  ),
);
const expression = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
const piece = fc.oneof(
  fc.string({ maxLength: 10 }),
  fc.string({ unit: "binary", maxLength: 10 }),
  expression.map((text) => `{{ ${text} }}`),
  expression.map((text) => `{% for x in ${text} %}{{ x }}{% endfor %}`),
  expression.map((text) => `{% set a = ${text} %}`),
  expression.map((text) => `{% if ${text} %}1{% else %}2{% endif %}`),
  fc.constantFrom(
    "{%",
    "%}",
    "{{",
    "}}",
    "{#",
    "#}",
    "{%-",
    "-%}",
    "{% endif %}",
    "{% raw %}",
    "{% macro m(a) %}",
    "{% endmacro %}",
    "{{ m(1) }}",
  ),
);
const source = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
const often = { numRuns: runs(2000) };

describe("whatever the template and the data", () => {
  it("rendering ends with text or a TemplateError", () => {
    fc.assert(
      fc.property(source, context, (text, data) => settles(() => render(text, data))),
      often,
    );
  });

  it("an expression ends with JSON or a TemplateError", () => {
    fc.assert(
      fc.property(expression, context, (text, data) =>
        settles(() => {
          const result = evaluate(text, data);
          expect(JSON.parse(JSON.stringify(result))).toEqual(result);
        }),
      ),
      often,
    );
  });

  it("references, values and conditions end as well", () => {
    fc.assert(
      fc.property(source, context, (text, data) => {
        settles(() => references(text));
        settles(() => compile(text).value(data));
        settles(() => compileCondition(text).test(data));
      }),
      often,
    );
  });

  it("the data is the same afterwards", () => {
    fc.assert(
      fc.property(source, context, (text, data) => {
        const before = JSON.stringify(data);
        settles(() => render(text, data));
        expect(JSON.stringify(data)).toBe(before);
      }),
      often,
    );
  });

  it("text without braces renders as it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/\{[{%#]/.test(text));
        expect(render(text, {})).toBe(text.replace(/\r\n?/g, "\n"));
      }),
    );
  });

  it("a path reads what is there", () => {
    fc.assert(
      fc.property(value, (data) => {
        expect(evaluate("a['k'].v", { a: { k: { v: data } } })).toEqual(data);
      }),
    );
  });
});
