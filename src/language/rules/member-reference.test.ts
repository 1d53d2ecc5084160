import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const pair = (text: string): string =>
  flow(
    `
  - { name: a, type: script, command: x }
  - { name: b, type: script, command: x }
  - { name: c, type: set, value: "${text}" }`,
    { entry: "g", more: "parallel: [{ name: g, agents: [a, b], routes: [{ to: c }] }]\n" },
  );

const agents = (text: string): string =>
  pair(text).replaceAll("type: script, command: x", "provider: codex, prompt: Go.");

ruleCases("member-reference", [
  {
    name: "says how a member is read",
    files: pair("{{ a.output.stdout }}"),
    lines: [5],
    suggests: "g.outputs.a.stdout",
  },
  {
    name: "says how a member's changes are read",
    files: agents("{{ a.changes.files }}"),
    lines: [5],
    suggests: "g.changes.a.files",
  },
  { name: "leaves changes in the output to their own rule", files: agents("{{ a.output.changes }}"), lines: [] },
  { name: "is content when it is read through the group", files: pair("{{ g.outputs.a.stdout }}"), lines: [] },
  {
    name: "leaves steps alone that also run by themselves",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: g }] }
  - { name: b, type: script, command: x }
  - { name: c, type: set, value: "{{ a.output.stdout }}" }`,
      { more: "parallel: [{ name: g, agents: [a, b], routes: [{ to: c }] }]\n" },
    ),
    lines: [],
  },
]);
