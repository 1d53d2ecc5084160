import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (input: string, text: string, mode = "explicit"): string =>
  flow(
    `
  - { name: a, type: script, command: x, routes: [{ to: b }] }
  - { name: b, input: ${input}, prompt: "${text}" }`,
    { section: `context: { mode: ${mode} }, input: { topic: { type: string } }` },
  );

ruleCases("explicit-reference-undeclared", [
  { name: "wants an input for a step", files: file("[]", "{{ a.output.plan }}"), lines: [4], suggests: "a.output" },
  {
    name: "wants an input for a workflow input in an agent",
    files: file("[]", "{{ workflow.input.topic }}"),
    lines: [4],
    suggests: "workflow.input.topic",
  },
  { name: "takes the whole output for each field", files: file("[a.output]", "{{ a.output.plan }}"), lines: [] },
  { name: "takes the short form", files: file("[a.plan?]", "{{ a.output.plan }}"), lines: [] },
  { name: "sees that another field was listed", files: file("[a.output.score]", "{{ a.output.plan }}"), lines: [4] },
  { name: "is silent in other modes", files: file("[]", "{{ a.output.plan }}", "accumulate"), lines: [] },
  {
    name: "knows that routes and gates see everything",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: b, when: "{{ a.output.ok }}" }, { to: $end }] }
  - { name: b, type: human_gate, prompt: "{{ a.output.plan }}", options: [{ label: Y, value: y, route: $end }] }`,
      { section: "context: { mode: explicit }" },
    ),
    lines: [],
  },
]);
