import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const agent = (more: string): string => `  - { name: a, prompt: Go., ${more} }`;
const reading = (expression: string, provider = "codex", more = ""): string =>
  flow(
    `${agent(`provider: ${provider}, ${more}routes: [{ to: b }]`)}\n  - { name: b, type: set, value: "{{ ${expression} }}" }`,
  );
const each = (expression: string, keyBy = ""): string =>
  flow(`  - { name: b, type: set, value: "{{ ${expression} }}" }`, {
    entry: "g",
    more: `for_each:\n  - { name: g, type: for_each, source: workflow.input.xs, as: x, ${keyBy}agent: { name: m, prompt: Go., provider: codex }, routes: [{ to: b }] }\n`,
  });

ruleCases("changes-in-output", [
  {
    name: "names the place beside the output",
    files: reading("a.output.changes.files"),
    lines: [4],
    severities: ["error"],
    message: /what `a` changed stands beside its output\. Read `a\.changes\.files`\./,
    suggests: "a.changes.files",
  },
  { name: "says it of the default provider", files: reading("a.output.changes", "copilot"), lines: [4] },
  {
    name: "says it of a file that names no provider",
    files: flow(
      `  - { name: a, prompt: Go., routes: [{ to: b }] }\n  - { name: b, type: set, value: "{{ a.output.changes }}" }`,
    ),
    lines: [4],
  },
  {
    name: "says it of a read that would give its default",
    files: reading("a.output.changes.files | default([])"),
    lines: [4],
    severities: ["warning"],
  },
  {
    name: "says it of an agent that declares other fields",
    files: reading("a.output.changes", "codex", "output: { summary: { type: string } }, "),
    lines: [4],
  },
  {
    name: "leaves a field of that name to the agent that declares it",
    files: reading("a.output.changes", "codex", "output: { changes: { type: array } }, "),
    lines: [],
  },
  {
    name: "is silent about a model, which changes no files",
    files: reading("a.output.changes", "anthropic"),
    lines: [],
  },
  {
    name: "names the group's, of a step that runs as its member",
    files: flow(
      `
  - { name: m, prompt: Go., provider: codex }
  - { name: n, prompt: Go., provider: codex }
  - { name: b, type: set, value: "{{ m.output.changes.files }}" }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [m, n], routes: [{ to: b }] }]\n" },
    ),
    lines: [5],
    suggests: "g.changes.m.files",
  },
  { name: "is silent about the new place", files: reading("a.changes.files"), lines: [] },
  {
    name: "names `changes` in the agent's own routes",
    files: flow(agent(`provider: codex, routes: [{ to: $end, when: "{{ output.changes.files }}" }, { to: $end }]`)),
    lines: [3],
    suggests: "changes.files",
  },
  {
    name: "names the group's by item",
    files: each("g.outputs[0].changes.files"),
    lines: [3],
    suggests: "g.changes['0'].files",
  },
  {
    name: "names the group's by key",
    files: each("g.outputs.eu.changes", "key_by: id, "),
    lines: [3],
    suggests: "g.changes.eu",
  },
  {
    name: "names the group's by member",
    files: flow(
      `  - { name: m, prompt: Go., provider: codex }\n  - { name: n, type: set, value: a }\n  - { name: b, type: set, value: "{{ g.outputs.m.changes }}" }`,
      { entry: "g", more: "parallel:\n  - { name: g, agents: [m, n], routes: [{ to: b }] }\n" },
    ),
    lines: [5],
    suggests: "g.changes.m",
  },
]);

// Where \`changes\` can be read, and where not.
ruleCases("unknown-reference", [
  { name: "takes the changes of a coding agent", files: reading("a.changes.files"), lines: [] },
  { name: "takes those of a group", files: each("g.changes['0'].files"), lines: [] },
  {
    name: "takes them bare in the agent's own routes and rules",
    files: flow(
      agent(
        `provider: codex, raise_when: [{ when: "{{ changes.added > 9 }}", kind: a.b, message: "{{ changes.added }}" }], routes: [{ to: $end, when: "changes.added > 0" }, { to: $end }]`,
      ),
    ),
    lines: [],
  },
  { name: "refuses those of a model", files: reading("a.changes.files", "anthropic"), lines: [4] },
  {
    name: "refuses those of a script",
    files: flow(
      `  - { name: a, type: script, command: x, routes: [{ to: b }] }\n  - { name: b, type: set, value: "{{ a.changes.files }}" }`,
    ),
    lines: [4],
  },
]);
