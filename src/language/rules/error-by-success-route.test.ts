import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (routes: string, value: string): string =>
  flow(`
  - { name: a, type: script, command: x, routes: [${routes}] }
  - { name: tell, type: set, value: "${value}" }`);

const both = "{ to: tell }, { on_error: true, to: tell }";

ruleCases("error-by-success-route", [
  {
    name: "finds a handler that success leads to",
    files: file(both, "{{ error.message }}"),
    lines: [4],
    message: /`a` leads to `tell`/,
  },
  {
    name: "is content with a guard",
    files: file(both, "{% if error is defined %}{{ error.message }}{% endif %}"),
    lines: [],
  },
  { name: "is content with default", files: file(both, "{{ error | default('fine') }}"), lines: [] },
  {
    name: "is content with a handler of its own",
    files: file("{ to: $end }, { on_error: true, to: tell }", "{{ error.message }}"),
    lines: [],
  },
  {
    name: "finds it in a condition of raise_when, and in a member of a group that success leads to",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: b }, { on_error: true, to: b }] }
  - { name: b, type: script, command: x, raise_when: [{ when: "{{ error.kind == 'x.y' }}", kind: a.b, message: "{{ error.kind }}" }], routes: [{ to: g }, { on_error: true, to: g }] }
  - { name: m, type: set, value: "{{ error.kind }}" }
  - { name: n, type: set, value: "{{ 1 }}" }`,
      { more: "parallel: [{ name: g, agents: [m, n] }]\n" },
    ),
    lines: [4, 5],
    message: /`b` leads to `g`/,
  },
  {
    name: "finds a handler that the run begins with",
    files: flow(
      '  - { name: a, type: script, command: x, args: ["{{ error.kind }}"], routes: [{ to: $end }, { on_error: true, retry: 2, to: a }] }',
    ),
    lines: [3],
    message: /begins with `a`/,
  },
  {
    name: "counts the answers of people",
    files: flow(`
  - { name: a, type: script, command: x, routes: [{ to: ask }, { on_error: true, to: tell }] }
  - { name: ask, type: human_gate, prompt: p, options: [{ label: Y, value: y, route: tell }] }
  - { name: tell, type: set, value: "{{ error.message }}" }`),
    lines: [5],
  },
  {
    name: "leaves a step's own error routes alone, where its own error is meant",
    files: flow(`
  - { name: a, type: script, command: x, routes: [{ to: b }, { on_error: true, to: b }] }
  - { name: b, type: script, command: x, routes: [{ to: $end }, { on_error: true, when: "{{ error.attempts > 1 }}", to: $end }] }`),
    lines: [],
  },
]);
