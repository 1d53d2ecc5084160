import { describe, expect, it } from "vitest";
import { expressionReferences, references } from "../index.ts";

/** Paths as text, those that are guarded with a question mark. */
const paths = (source: string): string =>
  references(source)
    .map(({ path, guarded }) => path.join(".") + (guarded ? "?" : ""))
    .join(" ");

describe("references", () => {
  it.each([
    [
      "{{ a.output.x }} {{ a['output'].x }} {{ a.list[0] }} {{ a.list.0.k }}",
      "a.output.x a.output.x a.list.0 a.list.0.k",
    ],
    ["{{ a[b.c].d }}", "b.c a"],
    ["{{ a[1:b] }}", "a b"],
    ["{{ a.items() }} {{ a.b.get('x').y }} {{ f(a) }}", "a a.b f a"],
    ["{{ range(n) }} {{ dict(a=b) }}", "n b"],
    ["{{ a | join(sep) }} {{ a is divisibleby(n) }}", "a sep a n"],
    ["{{ [a, {'k': b}, (c, -d)] }} {{ a ~ b }} {{ a < b < c }}", "a b c d a b a b c"],
  ])("%s reads %s", (source, expected) => {
    expect(paths(source)).toBe(expected);
  });

  it.each([
    ["{% for x in xs %}{{ x.y }}{{ loop.index }}{{ z }}{% else %}{{ x }}{% endfor %}", "xs z x"],
    ["{% for k, v in d.items() if v > min %}{{ k }}{% endfor %}{{ k }}", "d min k"],
    ["{{ x }}{% set x = y %}{{ x }}", "x y"],
    ["{% for i in a %}{% set x = 1 %}{% endfor %}{{ x }}", "a x"],
    ["{% set x %}{{ a }}{% endset %}{{ x }}", "a"],
    ["{% set ns = namespace(t=a) %}{% set ns.t = b %}{{ ns.t }}", "a b"],
    ["{% macro m(p, q=a) %}{{ p }}{{ q }}{{ b }}{{ varargs }}{% endmacro %}{{ m(c) }}", "a b c"],
    ["{% with x = a, y = x %}{{ x }}{{ y }}{% endwith %}", "a x"],
    ["{% import t as lib %}{{ lib.x }}{% from 'u' import f as g %}{{ g() }}", "t"],
    ["{% call(x) m(a) %}{{ x }}{{ b }}{% endcall %}", "m a b"],
    ["{% block b %}{{ super() }}{{ a }}{% endblock %}{% filter replace(b, c) %}{{ d }}{% endfilter %}", "a b c d"],
  ])("%s leaves out what tags bind", (source, expected) => {
    expect(paths(source)).toBe(expected);
  });

  it.each([
    ["{{ a.b is defined }} {{ a.b is not defined }} {{ a.b is undefined }}", "a.b? a.b? a.b?"],
    ["{{ a.b | default(c) }} {{ a | d }} {{ (a | upper) | default(1) }}", "a.b? c a? a"],
    ["{% if a.error is defined %}{{ a.error.kind }}{{ a.output }}{% endif %}", "a.error? a.error.kind? a.output"],
    ["{% if a is defined %}{{ a.b }}{% else %}{{ a.c }}{{ b }}{% endif %}", "a? a.b? a.c b"],
    ["{% if a is not defined %}{{ a.b }}{% else %}{{ a.c }}{% endif %}", "a? a.b a.c?"],
    ["{% if not a is defined %}{% elif b %}{{ a.c }}{% endif %}", "a? b a.c?"],
    ["{% if a is defined and a.b %}{{ a.b }}{% endif %}{{ a.b }}", "a? a.b? a.b? a.b"],
    ["{% if a is defined or b is defined %}{{ a }}{% endif %}", "a? b? a"],
    ["{{ a is not defined or a.b }}", "a? a.b?"],
    ["{{ a.b if a is defined else c }}", "a? a.b? c"],
    ["{% for x in xs if a is defined %}{{ a.b }}{% endfor %}", "xs a? a.b?"],
  ])("%s knows what is guarded", (source, expected) => {
    expect(paths(source)).toBe(expected);
  });

  it.each([
    ["{{ a.b | default(1) }}", true],
    ["{{ a.b is defined }}", true],
    ["{{ a | default(1) }}", false],
    ["{% if a is defined %}{{ a.b | default(1) }}{% endif %}", false],
  ])("%s needs its root: %s", (source, needed) => {
    expect(references(source).some(({ needsRoot }) => needsRoot)).toBe(needed);
  });

  it("gives lines and columns of the source", () => {
    expect(references("x\n  {{ a }}\n{%- if b.c -%}{% endif %}")).toEqual([
      { path: ["a"], line: 2, column: 6, guarded: false, needsRoot: false },
      { path: ["b", "c"], line: 3, column: 8, guarded: false, needsRoot: false },
    ]);
    expect(expressionReferences("1 + a.b")).toEqual([
      { path: ["a", "b"], line: 1, column: 5, guarded: false, needsRoot: false },
    ]);
  });
});
