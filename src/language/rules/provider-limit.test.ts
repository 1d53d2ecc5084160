import { ruleCases } from "../../../test/support/rule-cases.ts";

const file = (runtime: string, step = "") => ({
  "main.yaml": `workflow: { name: w, entry_point: a, runtime: { ${runtime} } }\nagents:\n  - { name: a, prompt: p${step} }\n`,
});

ruleCases("provider-limit", [
  {
    name: "warns of a temperature that Anthropic refuses",
    files: file("provider: claude, temperature: 1.5"),
    lines: [1],
  },
  {
    name: "warns of an effort of the file",
    files: file("provider: openai, default_reasoning_effort: max"),
    lines: [1],
  },
  {
    name: "warns of an effort of a step",
    files: file("provider: openai", ", reasoning: { effort: xhigh }"),
    lines: [3],
  },
  { name: "allows what the provider takes", files: file("provider: openai, temperature: 1.5"), lines: [] },
  {
    name: "says nothing of a server of one's own",
    files: file("provider: { name: openai, base_url: 'http://x' }, default_reasoning_effort: max"),
    lines: [],
  },
]);
