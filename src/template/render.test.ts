import { describe, expect, it } from "vitest";
import { render } from "./index.ts";

const context = {
  topic: "tides",
  n: 7,
  ratio: 2.5,
  nothing: null,
  done: true,
  names: ["bo", "Al", "cy"],
  prices: { tea: 3, milk: 1.5 },
  menu: { items: "a key, not a method" },
  steps: [
    { name: "fetch", ok: true, cost: 2 },
    { name: "sort", ok: false, cost: 1 },
    { name: "send", ok: true, cost: 3 },
  ],
  tree: [{ v: 1, sub: [{ v: 2, sub: [] }] }],
};

const templates: Readonly<Record<string, string>> = {
  greeting: "[{{ topic }} for {{ who | default('all') }}]",
  tools: "{% macro box(x, edge='|') %}{{ edge }}{{ x }}{{ edge }}{% endmacro %}{% set size = 3 %}{% set _own = 1 %}",
  seen: "{% set has = topic is defined %}",
  page: "<{% block head %}plain{% endblock %}:{% block body %}{% endblock %}>",
  middle: "{% extends 'page' %}{% block head %}middle {{ super() }}{% endblock %}",
};

const show = (source: string): string => render(source, context, { loader: (name) => templates[name] });

type Cases = readonly (readonly [source: string, output: string])[];

const groups: Readonly<Record<string, Cases>> = {
  "prints values as Python does": [
    ["{{ topic }}", "tides"],
    ["{{ done }} {{ nothing }} {{ n }}", "True None 7"],
    ["{{ names }}", "['bo', 'Al', 'cy']"],
    ["{{ prices }}", "{'tea': 3, 'milk': 1.5}"],
    ["{{ (1, 'a') }} {{ (1,) }} {{ () }}", "(1, 'a') (1,) ()"],
    [`{{ ["it's", 'say "hi"', 'tab\\t'] }}`, `["it's", 'say "hi"', 'tab\\t']`],
    ["{{ 1.0 }} {{ 1e16 }} {{ 0.00001 }} {{ 123456789.125 }}", "1.0 1e+16 1e-05 123456789.125"],
    ["{{ range(3) }} {{ prices.keys() }}", "range(0, 3) dict_keys(['tea', 'milk'])"],
  ],
  "calculates with Python's integers and floats": [
    ["{{ 6 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }}", "3.0 3 -4 2"],
    ["{{ 2 ** 10 }} {{ 2 ** -1 }} {{ 2 ** 3 ** 2 }}", "1024 0.5 64"],
    ["{{ 2 ** 64 }} {{ 9007199254740992 + 1 }}", "18446744073709551616 9007199254740993"],
    ["{{ -3 | abs }} {{ n + 0.5 }} {{ true + 1 }}", "3 7.5 2"],
    ["{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }}", "2.0 4.0 2.67"],
    ["{{ '3.9' | int }} {{ 'x' | int(4) }} {{ '1e3' | float }}", "3 4 1000.0"],
    ["{{ '0x1f' | int }} {{ '0x1f' | int(base=16) }} {{ '0x1f' | int(base=0) }} {{ '007' | int }}", "0 31 31 7"],
  ],
  "takes the tags out of HTML": [
    ["{{ '<b>bold</b> and <i>more</i>' | striptags }}", "bold and more"],
    ["{{ '<!-- <a> --><p>1 &lt; 2</p>' | striptags }}", "1 < 2"],
    ["{{ 'a < b, <b>c' | striptags }}|{{ '<p>open <' | striptags }}", "a c|open <"],
  ],
  "compares, joins and tests": [
    ["{{ 1 < n < 10 }} {{ 1 < n < 5 }}", "True False"],
    ["{{ 1 == 1.0 }} {{ '1' == 1 }} {{ (1, 2) == [1, 2] }}", "True False False"],
    ["{{ 'bo' in names }} {{ 'x' not in names }} {{ 'tea' in prices }}", "True True True"],
    ["{{ 'a' ~ n ~ nothing }}", "a7None"],
    ["{{ n is odd }} {{ n is divisibleby 7 }} {{ names is sequence }} {{ prices is mapping }}", "True True True True"],
    [
      "{{ nothing == null }} {{ n != null }} {{ null }} {{ nothing is null }} {{ [null] }}",
      "True True None True [None]",
    ],
    ["{{ unknown is defined }} {{ nothing is none }} {{ n is not string }}", "False True True"],
    ["{{ not done or 'fallback' }} {{ done and 'both' }}", "fallback both"],
    ["{{ 'a' if done else 'b' }}[{{ 'a' if not done }}]", "a[]"],
  ],
  "takes items and slices": [
    ["{{ names[0] }} {{ names[-1] }} {{ names.1 }} {{ prices['tea'] }}", "bo cy Al 3"],
    ["{{ names[1:] }} {{ names[::-1] }} {{ topic[:2] }}", "['Al', 'cy'] ['cy', 'Al', 'bo'] ti"],
    ["{{ '😀b'[0] }} {{ '😀b' | length }}", "😀 2"],
    ["{{ menu.items }} {{ prices.items() | list }}", "a key, not a method [('tea', 3), ('milk', 1.5)]"],
  ],
  "has the methods of Python's texts, lists and mappings": [
    ["{{ ' a b '.strip().split(' ') }} {{ 'k=v'.partition('=') }}", "['a', 'b'] ('k', '=', 'v')"],
    ["{{ 'abc'.upper().replace('B', '-') }} {{ '7'.zfill(3) }} {{ 'a'.center(5, '*') }}", "A-C 007 **a**"],
    ["{{ 'x' in 'x,y'.split(',') }} {{ '-'.join(names) }}", "True bo-Al-cy"],
    ["{{ prices.get('tea') }} {{ prices.get('rum') }} {{ prices.get('rum', 0) }}", "3 None 0"],
    ["{% set xs = [1] %}{% do xs.append(2) %}{{ xs }}", "[1, 2]"],
    ["{% set d = dict(a=1) %}{% do d.update(b=2) %}{{ d }}", "{'a': 1, 'b': 2}"],
    ["{{ '%s: %05.1f%%' % ('a', 2.345) }} {{ '{:>6,.2f}|{}'.format(1234.5, n) }}", "a: 002.3% 1,234.50|7"],
  ],
  "has Jinja2's filters": [
    ["{{ names | sort | join(', ') }} {{ names | map('upper') | list }}", "Al, bo, cy ['BO', 'AL', 'CY']"],
    ["{{ steps | selectattr('ok') | map(attribute='name') | join(' ') }}", "fetch send"],
    ["{{ steps | sum(attribute='cost') }} {{ steps | map(attribute='cost') | max }}", "6 3"],
    ["{{ steps | sort(attribute='cost', reverse=true) | map(attribute='name') | first }}", "send"],
    ["{% for ok, group in steps | groupby('ok') %}{{ ok }}={{ group | length }} {% endfor %}", "False=1 True=2 "],
    ["{{ nothing | default('none too') }} {{ unknown | default('x') }} {{ '' | default('e', true) }}", "none too x e"],
    ["{{ 'a long sentence here' | truncate(10) }} {{ 'one two' | wordcount }}", "a long... 2"],
    ["{{ 'a\\nb' | indent(2) }} {{ 'hello world' | title }}", "a\n  b Hello World"],
    ['{{ prices | tojson }} {{ "<it\'s>" | tojson }}', '{"milk": 1.5, "tea": 3} "\\u003cit\\u0027s\\u003e"'],
    ['{{ (\'{"n": 7, "l": [1, null]}\' | fromjson).n + 1 }}', "8"],
    ['{{ \'{"l": ["a"]}\' | fromjson | tojson }}', '{"l": ["a"]}'],
    ["{{ {'b': 'é', 'a': [1]} | json }}", '{\n  "b": "\\u00e9",\n  "a": [\n    1\n  ]\n}'],
    ["{{ '<b>' | e }} {{ '<b>' | e | e }} {{ '<b>' | safe | e }}", "&lt;b&gt; &lt;b&gt; <b>"],
    ["{{ 'a b/ü' | urlencode }} {{ 1500 | filesizeformat }}", "a%20b/%C3%BC 1.5 kB"],
    ["{{ [1, 2, 3] | batch(2) | list }} {{ [1, 1, 2] | unique | list }}", "[[1, 2], [3]] [1, 2]"],
  ],
  loops: [
    ["{% for x in names %}{{ loop.index }}{{ x }}{{ ',' if not loop.last }}{% endfor %}", "1bo,2Al,3cy"],
    ["{% for k, v in prices.items() %}{{ k }}={{ v }} {% endfor %}", "tea=3 milk=1.5 "],
    ["{% for s in steps if s.ok %}{{ loop.index }}/{{ loop.length }} {% else %}none{% endfor %}", "1/2 2/2 "],
    ["{% for x in [] %}{% else %}empty{% endfor %}", "empty"],
    ["{% for t in tree recursive %}({{ t.v }}{{ loop.depth }}{{ loop(t.sub) }}){% endfor %}", "(11(22))"],
    ["{% for x in [1, 1, 2] %}{{ loop.changed(x) }} {{ loop.cycle('a', 'b') }};{% endfor %}", "True a;False b;True a;"],
    [
      "{% for x in [1, 2] %}{{ loop.previtem | default('-') }}{{ loop.nextitem | default('-') }} {% endfor %}",
      "-2 1- ",
    ],
  ],
  "binds names where Jinja2 does": [
    ["{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}", "21"],
    ["{% set x = 1 %}{% if done %}{% set x = 2 %}{% endif %}{{ x }}", "2"],
    [
      "{% set ns = namespace(sum=0) %}{% for s in steps %}{% set ns.sum = ns.sum + s.cost %}{% endfor %}{{ ns.sum }}",
      "6",
    ],
    ["{% set a, b = 1, 2 %}{{ b }}{{ a }}", "21"],
    ["{% set block | upper %}in {{ topic }}{% endset %}{{ block }}", "IN TIDES"],
    ["{% with n = 1, m = n %}{{ n }}{{ m }}{% endwith %}{{ n }}", "177"],
    ["{% macro m(a, b=2) %}{{ a }}{{ b }}{{ varargs }}{% endmacro %}{{ m(1) }} {{ m(1, 3, 4) }}", "12() 13(4,)"],
    ["{% macro m() %}<{{ caller('x') }}>{% endmacro %}{% call(y) m() %}{{ y }}!{% endcall %}", "<x!>"],
    ["{% filter upper %}quiet{% endfilter %}", "QUIET"],
    ["{{ '{:05d} {:x} {:,}'.format(3, 255, 1234567) }}", "00003 ff 1,234,567"],
  ],
  "controls whitespace": [
    ["a {%- if done -%} b {%- endif -%} c", "abc"],
    ["a\n{% if done %}\nb\n{% endif %}\n", "a\n\nb\n\n"],
    ["a {#- gone -#} b {{- n -}} c", "ab7c"],
    ["{% raw %}{{ as is }}{% endraw %}", "{{ as is }}"],
    ["{{ '}}' }} }} {{ {'a': {'b': 1}}['a']['b'] }}", "}} }} 1"],
    ["one\r\ntwo\n", "one\ntwo\n"],
  ],
  "reaches other templates through the loader": [
    ["{% include 'greeting' %}", "[tides for all]"],
    ["{% for who in ['us'] %}{% include 'greeting' %}{% endfor %}", "[tides for us]"],
    ["{% include 'absent' ignore missing %}ok", "ok"],
    ["{% include ['absent', 'greeting'] %}", "[tides for all]"],
    ["{% import 'tools' as t %}{{ t.box(1) }}{{ t.size }}{{ t._own is defined }}", "|1|3False"],
    ["{% import 'seen' as s %}{{ s.has }} {% import 'seen' as s with context %}{{ s.has }}", "False True"],
    ["{% from 'tools' import box as b %}{{ b(topic, edge='*') }}", "*tides*"],
    ["{% extends 'middle' %}{% block body %}{{ self.head() }}!{% endblock %}", "<middle plain:middle plain!>"],
  ],
};

for (const [name, cases] of Object.entries(groups)) {
  describe(name, () => {
    it.each(cases)("%s", (source, output) => {
      expect(show(source)).toBe(output);
    });
  });
}

describe("the context", () => {
  it("may be a scope that answers name by name", () => {
    const asked: string[] = [];
    const scope = {
      get: (name: string) => {
        asked.push(name);
        return name === "a" ? { b: 1 } : undefined;
      },
      names: () => ["a"],
    };
    expect(render("{{ a.b }}{{ c | default('-') }}", scope)).toBe("1-");
    expect(asked).toEqual(["a", "c"]);
  });

  it("is never changed by a template", () => {
    const mine = { xs: [1], d: { k: 1 } };
    for (const source of [
      "{% do xs.append(2) %}",
      "{% do xs.clear() %}",
      "{% do d.update(k=2) %}",
      "{% set d.k = 2 %}",
    ]) {
      expect(() => render(source, mine)).toThrow();
    }
    expect(render("{% set ys = xs | list %}{% do ys.append(2) %}{{ ys }}{{ xs }}", mine)).toBe("[1, 2][1]");
    expect(mine).toEqual({ xs: [1], d: { k: 1 } });
  });

  it("may hold names that are special in JavaScript", () => {
    const odd = JSON.parse('{"constructor": "c", "a": {"__proto__": "p", "toString": "t"}}');
    expect(render("{{ constructor }}{{ a.__proto__ }}{{ a.toString }}", odd)).toBe("cpt");
  });
});
