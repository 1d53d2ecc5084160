import { describe, expect, it } from "vitest";
import { render, TemplateError } from "./index.ts";

const context = { x: { a: 1 }, f: () => 1, now: new Date(0), list: [() => 1] };
const loader = (name: string): string | undefined =>
  ({ itself: "{% include 'itself' %}", child: "{% extends 'child' %}" })[name];

function reasonOf(source: string): string {
  try {
    return `rendered ${render(source, context, { loader }).slice(0, 50)}`;
  } catch (error) {
    if (error instanceof TemplateError) return error.reason;
    throw error;
  }
}

const doubling = (start: string, double: string, use: string): string =>
  `{% set ns = namespace(a=${start}) %}{% for i in range(100) %}{% set ns.a = ${double} %}{% endfor %}${use}`;

describe("a template has no way to JavaScript", () => {
  it.each([
    "{{ x.constructor.constructor('return process')() }}",
    "{{ x['constructor'] }}",
    "{{ x.__proto__ }}",
    "{{ x['__proto__']['polluted'] }}",
    "{{ x.toString() }}",
    "{{ ''.constructor }}",
    "{{ [].constructor }}",
    "{{ 1.0.constructor }}",
    "{{ range.constructor }}",
    "{{ x.get.constructor }}",
    "{{ x.get.call }}",
    "{{ x.get.__globals__ }}",
    "{{ cycler.__init__ }}",
    "{{ namespace().constructor }}",
    "{% for i in [1] %}{{ loop.constructor }}{% endfor %}",
    "{% macro m() %}{% endmacro %}{{ m.constructor }}",
    "{{ x | attr('constructor') }}",
    "{{ [x] | map(attribute='constructor') | list }}",
    "{{ [x] | map(attribute='__proto__.constructor') | list }}",
    "{{ f }}",
    "{{ f() }}",
    "{{ now.getTime() }}",
    "{{ now.constructor }}",
  ])("%s finds nothing", (source) => {
    expect(reasonOf(source)).toBe("undefined");
  });

  it.each([
    "{{ '{0.constructor}'.format(x) }}",
    "{{ '{0[constructor]}'.format(x) }}",
    "{{ '%(constructor)s' % x }}",
    "{{ list[0]() }}",
  ])("%s is refused", (source) => {
    expect(reasonOf(source)).toBe("type");
  });

  it("keeps special names as plain keys", () => {
    expect(reasonOf("{{ {'__proto__': 5}.__proto__ }}{{ dict(__proto__=6) }}")).toBe("rendered 5{'__proto__': 6}");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("a runaway template is stopped", () => {
  it.each(
    [
      "{{ 'a' * 3000000000 }}",
      "{{ [0] * 10**9 }}",
      "{{ [[0] * 10**6] * 10**6 }}",
      "{% for i in range(10**9) %}{% endfor %}",
      "{% for i in range(10**5) %}{% for j in range(10**5) %}x{% endfor %}{% endfor %}",
      "{{ range(10**15) | length }}",
      "{{ 9 ** (9 ** 9) }}",
      "{{ 10**4000 * 10**4000 }}",
      doubling("2", "ns.a * ns.a", "{{ ns.a }}"),
      doubling("'x'", "ns.a ~ ns.a", ""),
      doubling("[1]", "ns.a + ns.a", ""),
      doubling("[1]", "[ns.a, ns.a]", "{{ ns.a }}"),
      doubling("[1]", "[ns.a, ns.a]", "{{ ns.a | tojson }}"),
      doubling("[1]", "[ns.a, ns.a]", "{{ ns.a | pprint }}"),
      doubling("(1,)", "(ns.a, ns.a)", "{{ {ns.a: 1} }}"),
      `{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(99) %}{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}`,
      "{% set xs = [] %}{% do xs.append(xs) %}{{ xs }}",
      "{% set xs = [] %}{% do xs.append(xs) %}{{ xs | tojson }}",
      "{% set xs = [] %}{% for i in range(10**6) %}{% do xs.append('x' * 10000) %}{% endfor %}",
      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
      "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
      "{% include 'itself' %}",
      "{% extends 'child' %}",
      "{{ 'a' | center(10**9) }}",
      "{{ 'a'.ljust(10**9) }}",
      "{{ '7'.zfill(10**9) }}",
      "{{ '%1000000000d' % 1 }}",
      "{{ '%.1000000000f' % 1 }}",
      "{{ '{:1000000000}'.format(1) }}",
      "{{ [1] | batch(10**9, 0) | list }}",
      "{{ [1] | slice(10**9) | list }}",
      "{{ ('a' * 10**6) | replace('a', 'b' * 10**6) }}",
      "{{ ('a' * 10**5).split('a') | join('b' * 10**5) }}",
      "{{ ('b' ~ 'a' * 10**6) in ('a' * 4000000) }}",
      "{{ ('x\n' * 10**6) | indent(1000) }}",
      "{{ ('x' * 10**6) | wordwrap(1) }}",
      `{{ ${"9".repeat(5000)} }}`,
      `{{ ${"(".repeat(5000)}1${")".repeat(5000)} }}`,
      `{{ ${"[".repeat(50_000)} }}`,
      `{{ ${"not ".repeat(5000)}1 }}`,
      `{{ 1${" + 1".repeat(5000)} }}`,
      `{{ x${".a".repeat(5000)} }}`,
      `{{ x${" | upper".repeat(5000)} }}`,
      "{% if 1 %}".repeat(5000),
    ].map((source) => [source.slice(0, 70), source] as const),
  )("%s", (_start, source) => {
    expect(reasonOf(source)).toBe("limit");
    expect(reasonOf("{{ x.a }}")).toBe("rendered 1");
  });

  it("with limits of the caller's choice", () => {
    expect(() => render("{% for i in range(50) %}x{% endfor %}", {}, { limits: { steps: 20 } })).toThrow("20 steps");
    expect(() => render("{{ 'x' * 50 }}", {}, { limits: { output: 20 } })).toThrow("20 characters");
  });

  it("on a meter of its own when a loader renders", () => {
    const output = render(
      "{% include 'a' %}{% include 'a' %}",
      {},
      { loader: () => render("{{ 1 }}", {}), limits: { steps: 30 } },
    );
    expect(output).toBe("11");
  });
});
