import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const script = (word: string): string =>
  flow(
    `  - { name: a, type: script, command: x, raises: [external.git.drift], routes: [{ to: $end }, { on_error: ${word}, to: $end }] }`,
  );

ruleCases("on-error-undeclared", [
  {
    name: "finds a typo and says what was meant",
    files: script("external.git.drft"),
    lines: [3],
    suggests: "external.git.drift",
  },
  {
    name: "knows a declared kind by its last word",
    files: script("drift.other.drift"),
    lines: [3],
    suggests: "external.git.drift",
  },
  {
    name: "finds a prefix that covers nothing",
    files: script("'external.npm.*'"),
    lines: [3],
    message: /begins with `external.npm.`/,
  },
  { name: "finds the wrong one in a list", files: script("[external.git.drift, external.git.gone]"), lines: [3] },
  { name: "takes a prefix that covers a kind", files: script("'external.*'"), lines: [] },
  {
    name: "takes engine kinds that the step can raise",
    files: script("[internal.script_error, internal.undeclared_kind, internal.schema_violation]"),
    lines: [],
  },
  {
    name: "counts kinds of raise_when as declared",
    files: flow(
      "  - { name: a, type: script, command: x, raises: [a.b], raise_when: [{ when: 'exit_code == 1', kind: a.c, message: m }], routes: [{ to: $end }, { on_error: a.c, to: $end }] }",
    ),
    lines: [],
  },
  {
    name: "does not judge a step without raises",
    files: flow("  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: any.thing, to: $end }] }"),
    lines: [],
  },
  {
    name: "knows what the members of a group declare",
    files: flow(
      `
  - { name: a, type: script, command: x, raises: [a.one] }
  - { name: b, type: set, value: "{{ 1 }}" }`,
      {
        entry: "g",
        more: "parallel: [{ name: g, agents: [a, b], routes: [{ to: $end }, { on_error: a.two, to: $end }] }]\n",
      },
    ),
    lines: [5],
  },
]);
