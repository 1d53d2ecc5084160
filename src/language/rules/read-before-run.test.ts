import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const loop = (text: string): string =>
  flow(`
  - { name: a, type: script, command: x, stdin: "${text}", routes: [{ to: b }] }
  - { name: b, type: script, command: x, stdin: "{{ a.output.stdout }}", routes: [{ to: a, when: exit_code == 1 }, { to: $end }] }`);

ruleCases("read-before-run", [
  {
    name: "finds what is missing the first time around a loop",
    files: loop("{{ b.output.stdout }}"),
    lines: [3],
    message: /`b` cannot have run before it/,
  },
  {
    name: "is content with a guard",
    files: loop("{% if b is defined and b.output %}{{ b.output.stdout }}{% endif %}"),
    lines: [],
  },
  {
    name: "knows what a guard on a later step implies",
    files: loop("{% if b is defined %}{{ a.output.stdout }}{% endif %}"),
    lines: [],
  },
  {
    name: "lets a route read its own step",
    files: flow(
      "  - { name: a, type: script, command: x, routes: [{ to: $end, when: '{{ a.output.exit_code == 0 }}' }, { to: $end }] }",
    ),
    lines: [],
  },
  {
    name: "lets a member read what ran before its group, and not the group itself",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: g }] }
  - { name: b, type: set, value: "{{ a.output.stdout }}" }
  - { name: c, type: set, value: "{{ g.outputs.b }}" }`,
      { more: "parallel: [{ name: g, agents: [b, c] }]\n" },
    ),
    lines: [5],
  },
  {
    name: "lets a handler read the step that raised",
    files: flow(`
  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: true, to: b }] }
  - { name: b, type: set, value: "{{ a.output.stdout }}" }`),
    lines: [],
  },
]);
