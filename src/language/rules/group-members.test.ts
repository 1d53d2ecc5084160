import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const pair = (a: string, b = "type: script, command: x", more = ""): string =>
  flow(
    `
  - { name: a, ${a} }
  - { name: b, ${b} }
  - { name: h, type: set, value: "1" }
  - { name: stop, type: terminate, status: failed, reason: r }`,
    { entry: "g", more: `parallel: [{ name: g, agents: [a, b], routes: [{ to: $end }] }]\n${more}` },
  );
const script = "type: script, command: x";
const each = (agent: string): string =>
  flow(`  - { name: a, type: set, value: "1" }`, {
    entry: "each",
    more: `for_each: [{ name: each, type: for_each, source: workflow.input.xs, as: x, agent: { name: w, ${agent} } }]\n`,
  });

ruleCases("group-members", [
  {
    name: "refuses terminate",
    files: pair("type: terminate, status: failed, reason: r"),
    lines: [7],
    message: /terminate/,
  },
  {
    name: "refuses gates in parallel",
    files: pair("type: human_gate, prompt: p, options: [{ label: Y, value: y, route: $end }]"),
    lines: [7],
    message: /cannot ask people/,
  },
  {
    name: "allows gates in for_each",
    files: each("type: human_gate, prompt: '{{ x }}', options: [{ label: Y, value: y }]"),
    lines: [],
  },
  { name: "refuses terminate in for_each", files: each("type: terminate, status: failed, reason: r"), lines: [4] },
  {
    name: "refuses nested groups",
    files: flow(
      `
  - { name: a, type: set, value: "1" }
  - { name: b, type: set, value: "1" }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [a, inner] }, { name: inner, agents: [a, b] }]\n" },
    ),
    lines: [5],
    message: /do not nest/,
  },
  { name: "allows scripts, http, mcp and workflows", files: pair(script, "type: http, url: 'http://x'"), lines: [] },
  {
    name: "refuses success routes of members",
    files: pair(`${script}, routes: [{ to: h }, { on_error: true, to: h }]`),
    lines: [3],
    message: /goes to the group/,
  },
  {
    name: "refuses success routes of an inline step",
    files: each("type: set, value: '{{ x }}', routes: [{ to: $end }]"),
    lines: [4],
  },
  { name: "allows error routes of members", files: pair(`${script}, routes: [{ on_error: true, to: h }]`), lines: [] },
  {
    name: "refuses terminate in a member's place, and lets $end keep what the member made",
    files: pair(`${script}, routes: [{ on_error: a.b, to: $end }, { on_error: true, to: stop }]`),
    lines: [3],
  },
  {
    name: "refuses reading a sibling",
    files: pair(script, "type: set, value: '{{ a.output.stdout }}'"),
    lines: [4],
    message: /at the same time/,
  },
]);
