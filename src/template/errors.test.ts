import { describe, expect, it } from "vitest";
import { render, TemplateError } from "./index.ts";

const context = { fetch: { output: { result: 1, status: "ok" }, list: [1, 2], none: null }, xs: [{ a: 1 }] };

function errorOf(source: string, loader?: (name: string) => string | undefined): TemplateError {
  try {
    render(source, context, { loader });
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error(`${source} did not raise`);
}

describe("an undefined value", () => {
  it.each([
    ["{{ fetch.output.resutl }}", "fetch.output.resutl", "resutl", "fetch.output", "mapping"],
    ["{{ fetch.outputs.result.deep }}", "fetch.outputs.result.deep", "outputs", "fetch", "mapping"],
    ["{{ fetch['output']['nope'] }}", "fetch['output']['nope']", "nope", "fetch['output']", "mapping"],
    ["{{ fetch.list[5] }}", "fetch.list[5]", "5", "fetch.list", "list"],
    ["{{ fetch.output.status.x | upper }}", "fetch.output.status.x", "x", "fetch.output.status", "text"],
    ["{{ fetch.none.x }}", "fetch.none.x", "x", "fetch.none", "none"],
    ["{{ (fetch.output).nope }}", "(fetch.output).nope", "nope", "fetch.output", "mapping"],
    ["{% for x in xs %}{{ x.b }}{% endfor %}", "x.b", "b", "x", "mapping"],
  ])("%s names the whole path and the missing part", (source, path, missing, parentPath, parentType) => {
    expect(errorOf(source)).toMatchObject({ reason: "undefined", path, missing, parentPath, parentType });
  });

  it("says what was there instead", () => {
    expect(errorOf("{{ fetch.output.resutl }}")).toMatchObject({
      available: ["result", "status"],
      message: "'fetch.output' has no field 'resutl'. It has: result, status.",
    });
    expect(errorOf("{% set mine = 1 %}{{ fecth.output }}")).toMatchObject({
      path: "fecth.output",
      missing: "fecth",
      parentPath: undefined,
      available: ["mine", "fetch", "xs"],
    });
  });

  it("carries its place and the expression around it", () => {
    expect(errorOf("one\n  {{ 1 + fetch.nope | upper }}")).toMatchObject({
      line: 2,
      column: 10,
      expression: "1 + fetch.nope | upper",
    });
  });

  it("names the included template it was found in", () => {
    expect(errorOf("\n{% include 'part' %}", () => "{{ nope }}")).toMatchObject({ template: "part", line: 1 });
  });

  it.each([
    "{% if nope %}{% endif %}",
    "{% for x in nope %}{% endfor %}",
    "{{ nope + 1 }}",
    "{{ nope == 1 }}",
    "{{ nope | upper }}",
    "{{ nope | length }}",
    "{{ nope ~ '' }}",
    "{{ nope() }}",
    "{{ nope.x | default(1) }}",
    "{{ nope.x is defined }}",
    "{{ [nope] }}",
    "{{ 1 in nope }}",
    "{{ not nope }}",
    "{{ xs | map(attribute='nope') | join }}",
    "{{ [] | first }}",
    "{{ fetch.output.items }}",
    "{{ fetch.output.items | length }}",
    "{% for x in fetch.output.values %}{% endfor %}",
  ])("raises in %s", (source) => {
    expect(errorOf(source).reason).toBe("undefined");
  });

  it.each([
    ["{{ nope is defined }}", "False"],
    ["{{ nope | default(1) }}", "1"],
    ["{{ fetch.nope | d('x') }}", "x"],
    ["{{ none | d('x') }} {{ none | default('x') }}", "None x"],
    ["{{ '' | d('x', true) }}", "x"],
    ["{% set y = nope %}{{ y is undefined }}", "True"],
    ["{{ true or nope }}", "True"],
    ["{{ nope is none }}", "False"],
  ])("may be asked about in %s", (source, output) => {
    expect(render(source, context)).toBe(output);
  });
});

describe("a mistake in the syntax", () => {
  it.each([
    ["{{ x", 1, 1],
    ["{{ 1 + }}", 1, 8],
    ["a\n{% if %}", 2, 7],
    ["{% endif %}", 1, 4],
    ["{% if a %}\n", 1, 1],
    ["{{ x | nosuch }}", 1, 8],
    ["{{ x is nosuch }}", 1, 9],
    ["{% nosuch %}", 1, 4],
    ["{{ (1 }}", 1, 7],
    ["{{ 'a }}", 1, 4],
    ["{{ $x }}", 1, 4],
    ["{% for x in y %}{% continue %}{% endfor %}", 1, 20],
    ["{% block a %}{% endblock %}{% block a %}{% endblock %}", 1, 37],
    ["{# never closed", 1, 1],
  ])("%s is found at line %i, column %i", (source, line, column) => {
    expect(errorOf(source)).toMatchObject({ reason: "syntax", line, column });
  });
});

describe("an operation that does not fit its values", () => {
  it.each([
    "{{ 'a' + 1 }}",
    "{{ 1 / 0 }}",
    "{{ 1 < 'a' }}",
    "{{ none < 1 }}",
    "{{ fetch() }}",
    "{{ 5 | length }}",
    "{{ 5 | list }}",
    "{{ xs | map('upper') | length }}",
    "{{ 'a'.split('') }}",
    "{{ 'x' | truncate(nosuch=1) }}",
    "{{ '%d' % 'a' }}",
    "{{ '{:.2d}'.format(5) }}",
    "{% set a, b = 1, 2, 3 %}",
    "{% macro m() %}{% endmacro %}{{ m(1) }}",
    "{% include 'absent' %}",
    "{{ {[1]: 2} }}",
    "{{ '[1, NaN]' | fromjson }}",
    "{{ '{broken' | fromjson }}",
    "{{ 5 | fromjson }}",
  ])("%s raises with its place", (source) => {
    expect(errorOf(source)).toMatchObject({ reason: "type", line: 1 });
  });
});

describe("a name that does not exist", () => {
  it.each([
    ["{{ 1 | uper }}", "upper"],
    ["{{ 1 | uppper }}", "upper"],
    ["{{ 1 | upepr }}", "upper"],
    ["{{ 1 | upcase }}", "upper"],
    ["{{ 1 | toLowerCase }}", "lower"],
    ["{{ 1 | size }}", "length"],
    ["{{ 1 | jion }}", "join"],
    ["{{ 1 is definde }}", "defined"],
  ])("%s was meant as %s", (source, meant) => {
    expect(errorOf(source).message).toContain(`Did you mean '${meant}'?`);
  });

  it("that is like none of them is only refused", () => {
    expect(errorOf("{{ 1 | elephant }}").message).toBe("There is no filter named 'elephant'.");
  });
});
