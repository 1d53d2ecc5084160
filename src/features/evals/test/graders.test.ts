// Graders that ask outside, from the command line: a judge on a model server, and a program of the user. Those of
// plugins are in test/project.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Fake, startAnthropicFake } from "../../../../test/fakes/index.ts";
import { begin } from "../../../../test/support/command-line.ts";
import { Playground } from "../../../../test/support/play.ts";
import type { EvalAnswer } from "../run-eval.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const FILES = {
  "triage.yaml": `workflow:
  name: triage
  entry_point: answer
  input: { ticket: { type: string } }
  runtime: { provider: anthropic, default_model: writer }
  cost: { pricing: { strict: { input_per_mtok: 1000, output_per_mtok: 0 } } }
agents: [{ name: answer, prompt: "Answer: {{ workflow.input.ticket }}", output: { text: { type: string } } }]
output: { text: "{{ answer.output.text }}" }
`,
  "tickets.jsonl": `{"id": "kind", "inputs": {"ticket": "please"}, "expected": 6}
{"id": "rude", "inputs": {"ticket": "hey"}, "expected": 4}
`,
};

/** The writer repeats the ticket; the judge likes those that ask nicely. */
async function groundWith(grades: string, more: Readonly<Record<string, string>> = {}) {
  const fake = await startAnthropicFake({
    answers: ({ model, prompt }) =>
      model === "writer"
        ? { json: { text: prompt.replace("Answer: ", "") } }
        : { json: { score: prompt.includes("please") ? 0.9 : 0.2, why: "by its words" } },
  });
  const ground = new Playground();
  closing.push(
    () => fake.close(),
    () => ground.close(),
  );
  ground.write({
    ...FILES,
    ...more,
    "triage.eval.yaml": `workflow: triage.yaml\ndataset: tickets.jsonl\ngrade:\n${grades}`,
  });
  return { ground, fake };
}

async function evaluate({ folder, session }: Playground, { url }: Fake, ...more: string[]): Promise<EvalAnswer> {
  const { env, home } = session;
  const { answer, said, ended } = begin(["eval", "triage.eval.yaml", "--output-format", "json", ...more], {
    cwd: folder,
    env: { ...env, SEGNO_HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "k" },
  });
  await ended;
  expect(answer(), said()).not.toBe("");
  return JSON.parse(answer()) as EvalAnswer;
}

const gradesOf = ({ rows }: EvalAnswer) =>
  rows.map(({ id, passed, grades }) => [id, passed, ...grades.slice(1).map(({ score, why }) => [score, why])]);

it("asks a judge of its own model, with the question and the answer, and counts what it costs", async () => {
  const { ground, fake } = await groundWith(
    `  - { judge: "Is it polite?", value: "{{ output.text }}", provider: anthropic, model: strict, at_least: 0.8 }\n`,
  );
  const dry = await evaluate(ground, fake, "--dry-run");
  expect(dry.preview?.graders).toEqual(["a judge asks anthropic strict"]);
  expect(fake.requests).toHaveLength(0);
  const answer = await evaluate(ground, fake);
  expect(gradesOf(answer)).toEqual([
    ["kind", true, [0.9, "by its words"]],
    ["rude", false, [0.2, expect.stringContaining("by its words")]],
  ]);
  const judged = fake.requests.filter(({ model }) => model === "strict");
  expect(judged.map(({ prompt }) => prompt).sort()).toEqual([
    "Is it polite?\n\nThe answer:\nhey",
    "Is it polite?\n\nThe answer:\nplease",
  ]);
  expect(answer.rows.every(({ grading_usd }) => grading_usd > 0)).toBe(true);
});

it("does not measure a row whose judge cannot be asked", async () => {
  const { ground, fake } = await groundWith(`  - { judge: "Is it polite?", provider: openai, model: strict }\n`);
  const { rows, exit_code } = await evaluate(ground, fake);
  expect(rows.map(({ passed }) => passed)).toEqual([null, null]);
  expect(rows[0]?.why).toMatch(/^judge: the judge could not be asked: /);
  expect(exit_code).toBe(0);
});

it("starts a program with the row on stdin, and takes its JSON, its exit code, or says that it broke", async () => {
  const script = (name: string) => `  - { name: ${name}, script: ./${name}.sh, args: ["{{ expected }}"] }\n`;
  const { ground, fake } = await groundWith(["length", "nice", "broken"].map(script).join(""), {
    "length.sh": `#!/bin/sh
node -e 'const { output } = JSON.parse(require("fs").readFileSync(0)); const n = output.text.length;
console.log(JSON.stringify({ passed: n === Number(process.argv[1]), score: n / 10, why: "it has " + n }))' "$1"
`,
    "nice.sh": "#!/bin/sh\ngrep -q please || { echo no please in it; exit 1; }\n",
    "broken.sh": "#!/bin/sh\necho lost >&2; exit 7\n",
  });
  for (const name of ["length", "nice", "broken"]) chmodSync(join(ground.folder, `${name}.sh`), 0o755);
  const { rows } = await evaluate(ground, fake);
  expect(rows.map(({ passed, grades }) => [passed, ...grades.slice(1).map((one) => [one.passed, one.why])])).toEqual([
    [null, [true, "it has 6"], [true, null], [null, "it ended with exit code 7: lost"]],
    [false, [false, "it has 3"], [false, "no please in it"], [null, "it ended with exit code 7: lost"]],
  ]);
  expect(rows[0]?.why).toBe("broken: it ended with exit code 7: lost");
});

it("makes no grade of a program that prints what is no verdict, is killed, or does not end in time", async () => {
  const programs = {
    half: `echo '{"passed": tru'`,
    word: `echo '{"passed": "yes"}'`,
    high: `echo '{"passed": true, "score": 7}'`,
    killed: "kill -9 $$",
    stuck: "exec tail -f /dev/null",
    long: "head -c 90000 /dev/zero | tr '\\0' x",
  };
  const names = Object.keys(programs);
  const { ground, fake } = await groundWith(
    names
      .map((name) => `  - { name: ${name}, script: ./${name}.sh${name === "stuck" ? ", timeout: 50ms" : ""} }\n`)
      .join(""),
    Object.fromEntries(Object.entries(programs).map(([name, text]) => [`${name}.sh`, `#!/bin/sh\n${text}\n`])),
  );
  for (const name of names) chmodSync(join(ground.folder, `${name}.sh`), 0o755);
  const { rows } = await evaluate(ground, fake);
  expect(rows[0]?.grades.slice(1).map((one) => [one.name, one.passed, one.why?.slice(0, 60)])).toEqual([
    ["half", null, "it printed what begins with { and is no JSON"],
    ["word", null, "it gave no `passed` that is true or false"],
    ["high", null, "its `score` is no number from 0 to 1"],
    ["killed", null, "it was killed"],
    ["stuck", null, "the grader failed: it took longer than 0.05 s"],
    ["long", true, "x".repeat(60)],
  ]);
  expect(rows[0]?.grades.at(-1)?.why).toHaveLength(501);
});
