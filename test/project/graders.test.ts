// A plugin's grader of a trusted project, from the command line, with a model server on the loopback.
import { afterAll, expect, it, onTestFinished } from "vitest";
import type { EvalAnswer } from "../../src/features/evals/run-eval.ts";
import { startAnthropicFake } from "../fakes/index.ts";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

const FILES = {
  "segno.yaml": "plugins: [./plugin.mjs]\n",
  "plugin.mjs": `import { defineGrader } from "segno";
export const longer = defineGrader({
  name: "longer_than",
  grade({ output, row, run }, { least }) {
    const length = output.text.length;
    return { passed: length >= Number(least), score: length / 10, why: \`\${row.id} \${run.status}: \${length} of \${least}\` };
  },
});
export const broken = defineGrader({ name: "broken", grade: ({ row }) => { if (row.id === "rude") throw new Error("lost"); return true; } });
`,
  "triage.yaml": `workflow:
  name: triage
  entry_point: answer
  input: { ticket: { type: string } }
  runtime: { provider: anthropic, default_model: writer }
agents: [{ name: answer, prompt: "Answer: {{ workflow.input.ticket }}", output: { text: { type: string } } }]
output: { text: "{{ answer.output.text }}" }
`,
  "triage.eval.yaml": `workflow: triage.yaml
dataset: tickets.jsonl
grade: [{ grader: longer_than, with: { least: "{{ expected }}" } }, { grader: broken }]
`,
  "tickets.jsonl": `{"id": "kind", "inputs": {"ticket": "please"}, "expected": 6}
{"id": "rude", "inputs": {"ticket": "hey"}, "expected": 3}
`,
};

it("gives the row and its options to the plugin's function, and measures nothing where that throws", async () => {
  const fake = await startAnthropicFake({
    answers: ({ prompt }) => ({ json: { text: prompt.replace("Answer: ", "") } }),
  });
  onTestFinished(() => fake.close());
  const work = new Workshop(FILES);
  const env = { ANTHROPIC_BASE_URL: fake.url, ANTHROPIC_API_KEY: "k" };
  // Nothing of a project that is not trusted is loaded, and nothing is asked.
  const before = await work.programIn(".", env, "eval", "triage.eval.yaml");
  expect([before.code, fake.requests.length]).toEqual([2, 0]);
  expect(before.stderr).toContain("There is no grader longer_than");
  await work.segno("trust", "--yes");
  const { stdout } = await work.programIn(".", env, "eval", "triage.eval.yaml", "--output-format", "json");
  const { rows } = JSON.parse(stdout) as EvalAnswer;
  expect(
    rows.map(({ id, passed, grades }) => [id, passed, ...grades.slice(1).map(({ score, why }) => [score, why])]),
  ).toEqual([
    ["kind", true, [0.6, "kind completed: 6 of 6"], [1, null]],
    ["rude", null, [0.3, "rude completed: 3 of 3"], [null, expect.stringContaining("lost")]],
  ]);
  expect(fake.requests).toHaveLength(2);
});
