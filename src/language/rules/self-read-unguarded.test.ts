import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const step = (text: string, section = ""): string =>
  flow(
    `  - { name: a, type: script, command: x, stdin: "${text}", routes: [{ to: $end }, { on_error: a.b, retry: 2 }] }`,
    { section },
  );

ruleCases("self-read-unguarded", [
  {
    name: "finds a step that reads the error of its attempt before",
    files: step("{{ a.error.message }}"),
    lines: [3],
    message: /`a.error.message` is what `a` itself gave before.*Guard it with `{% if a.error is defined %}`/,
    suggests: "{% if a.error is defined %}",
  },
  {
    name: "finds it beside a default, which needs the step",
    files: step("{{ a.error.message | default('-') }}"),
    lines: [3],
  },
  {
    name: "finds its own output",
    files: step("{{ a.output.stdout }}"),
    lines: [3],
    message: /{% if a.output is defined %}/,
  },
  {
    name: "is content with a guard on the error, on the step, and with a condition in one",
    files: step(
      "{% if a.error is defined %}{{ a.error.message }}{% endif %}{{ a.error.kind if a.error is defined else '-' }}{% if a is defined %}{{ a.output }}{% endif %}",
    ),
    lines: [],
  },
  {
    name: "finds what the guard of something else does not guard",
    files: step("{% if a.error is defined %}{{ a.output.stdout }}{% endif %}"),
    lines: [3],
  },
  {
    name: "lets its routes and rules read it",
    files: flow(
      "  - { name: a, type: script, command: x, routes: [{ to: $end, when: '{{ a.output.exit_code == 0 }}' }, { to: $end }] }",
    ),
    lines: [],
  },
  {
    name: "knows what a guard on a later step implies",
    files: flow(`
  - { name: a, type: script, command: x, stdin: "{% if b is defined %}{{ a.output.stdout }}{% endif %}", routes: [{ to: b }] }
  - { name: b, type: script, command: x, routes: [{ to: a, when: exit_code == 1 }, { to: $end }] }`),
    lines: [],
  },
]);
