import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("template-syntax", [
  {
    name: "finds a template that does not parse",
    files: flow('  - { name: a, type: set, value: "{{ 1 + }}" }'),
    lines: [3],
  },
  {
    name: "points into a text of several lines",
    files: flow(`
  - name: a
    prompt: |
      Hello
      {% if x %}
      {{ 1 + }}`),
    lines: [7],
  },
  {
    name: "finds a comment that is not closed, as the length of an array of bash",
    files: flow(`
  - name: a
    type: script
    command: bash
    args:
      - -c
      - |
        arr=(1 2)
        echo \${#arr[@]}`),
    lines: [10],
    message: /'#}' is missing/,
  },
  { name: "is content with a comment", files: flow('  - { name: a, type: set, value: "{# one #}" }'), lines: [] },
  {
    name: "looks at fields of every kind",
    files: flow(
      `
  - { name: a, type: http, url: "http://x", headers: { h: "{{ 1 + }}" }, routes: [{ to: b }] }
  - { name: b, type: script, command: x, env: { E: "{{ 1 + }}" }, routes: [{ to: $end, output: { o: "{{ 1 + }}" } }, { on_error: true, halt: { message: "{{ 1 + }}" } }] }`,
      { more: 'output: { x: "{{ 1 + }}" }\n' },
    ),
    lines: [3, 4, 4, 4, 5],
  },
  {
    name: "finds a source that is no path",
    files: flow("  - { name: a, type: set, value: '1' }", {
      entry: "each",
      more: "for_each: [{ name: each, type: for_each, source: 'not a path', as: x, agent: { name: w, type: set, value: '{{ x }}' } }]\n",
    }),
    lines: [4],
  },
  {
    name: "leaves plain text alone",
    files: flow("  - { name: a, type: script, command: echo, args: ['{ not } a % template'] }"),
    lines: [],
  },
]);
