import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { checkEval } from "./check-eval.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-eval-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

write(
  "flow.yaml",
  `workflow: { name: w, entry_point: a, input: { n: { type: number } } }
agents: [{ name: a, prompt: "say {{ workflow.input.n }}" }]
output: { said: "{{ a.output.result }}" }
`,
);
write("rows.jsonl", '{"id": "1", "inputs": {"n": 1}}\n');

const GOOD = `workflow: flow.yaml
dataset: rows.jsonl
grade:
  - { equals: "1", value: "{{ output.said }}" }
`;

/** `file:line:column sentence` of each finding. */
function found(text: string): readonly string[] {
  write("flow.eval.yaml", text);
  const { findings } = checkEval(join(folder, "flow.eval.yaml"), { cwd: folder, env: {} });
  return findings.map(
    ({ message, location: { file, line, column } }) => `${basename(file)}:${line}:${column} ${message}`,
  );
}

it("finds nothing wrong with a good one", () => {
  expect(found(GOOD)).toEqual([]);
  expect(found(GOOD.replace("output.said", "output.more | default('')"))).toEqual([]);
});

it.each([
  [GOOD.replace("equals:", "equls:"), /^flow\.eval\.yaml:4:\d+ .*equls/],
  [GOOD.replace("equals:", "contains: x, equals:"), /^flow\.eval\.yaml:4:\d+ .*exactly one of .*equals and contains/],
  [GOOD.replace("output.said", "ouput.said"), /^flow\.eval\.yaml:4:\d+ `ouput` is not known here/],
  [
    GOOD.replace("output.said", "output.sad"),
    /^flow\.eval\.yaml:4:\d+ `output` is not known to have `sad`\. It has said/,
  ],
  [GOOD.replace("output.said", "run.state"), /^flow\.eval\.yaml:4:\d+ `run` is not known to have `state`/],
  [GOOD.replace("output.said", "inputs.m"), /^flow\.eval\.yaml:4:\d+ `inputs` is not known to have `m`/],
  [GOOD.replace(/- \{.*/, "- { judge: ok?, provider: nope }"), /^flow\.eval\.yaml:4:\d+ There is no provider nope/],
  [`${GOOD}variants: [{ name: x, set: { runtime.nope: 1 } }]\n`, /^flow\.eval\.yaml:5:\d+ With this variant .*nope/],
  [GOOD.replace("{{ output.said }}", "{{ output. }}"), /^flow\.eval\.yaml:4:\d+ This template cannot be read/],
  [`${GOOD}live: [b]\n`, /^flow\.eval\.yaml:5:8 No step is called b/],
  [`${GOOD}step: b\n`, /^flow\.eval\.yaml:5:7 no step of the workflow file is called b/],
  [`${GOOD}variants: [{ name: x, set: { b.prompt.c: 1 } }]\n`, /^flow\.eval\.yaml:5:\d+ .*not valid|no place/],
  [`${GOOD}variants: [{ name: x, set: { a.prompt: 1, a.wrong: 2 } }]\n`, /^flow\.eval\.yaml:5:\d+ With this variant/],
  [GOOD.replace("rows.jsonl", "none.jsonl"), /^flow\.eval\.yaml:2:10 The dataset cannot be read/],
  [GOOD.replace("dataset: rows.jsonl", "name: x"), /either `dataset:`, a file of rows, or `runs:`/],
  [GOOD.replace('equals: "1"', "schema: none.json"), /^flow\.eval\.yaml:4:\d+ The schema cannot be used/],
  [GOOD.replace(/- \{.*/, "- { no_errors: provider.nope }"), /^flow\.eval\.yaml:4:18 There is no kind provider\.nope/],
  [GOOD.replace('equals: "1"', "grader: mine"), /^flow\.eval\.yaml:4:\d+ There is no grader mine: a plugin/],
])("says what is wrong, and where: %#", (text, sentence) => {
  expect(found(text).join("\n")).toMatch(sentence);
});

it.each([
  ["x.jsonl", '{"id": "1", "inputs": {"n": 1}}\n{"id": 2, \n', /^x\.jsonl:2:\d+ This line is no JSON/],
  ["x.jsonl", '{"id": "1", "input": {"n": 1}}\n', /^x\.jsonl:1:1 A row has no field `input`/],
  [
    "x.jsonl",
    '{"id": "1", "inputs": {"n": 1}}\n{"id": "1", "inputs": {"n": 1}}\n',
    /^x\.jsonl:2:1 Another row, in line 1/,
  ],
  ["x.jsonl", '\n{"id": "1", "inputs": {"n": "many"}}\n', /^x\.jsonl:2:1 Row 1: /],
  ["x.json", '[\n {"inputs": {"n": 1}},\n {"inputs": 3}\n]', /^x\.json:3:2 `inputs` of a row is a mapping/],
  [
    "x.jsonl",
    `{"id": 1, "inputs": {"n": ${"[".repeat(5000)}${"]".repeat(5000)}}}`,
    /^x\.jsonl:1:1 This line cannot be used: it is nested more than 500 levels deep/,
  ],
  [
    "x.json",
    `[{"inputs": {"n": ${"[".repeat(5000)}${"]".repeat(5000)}}}]`,
    /^x\.json:1:1 This cannot be used: it is nested more than 500 levels deep/,
  ],
  ["x.json", "[&a {inputs: {n: 1}}, *a]", /^x\.json:1:\d This is no JSON: a \.json dataset is a list of rows/],
  ["x.json", '[{"inputs": {"n": 1, "t": "],{"}}, 7]', /^x\.json:1:36 A row is a mapping/],
  ["x.csv", "id,n\n1,2,3\n", /^x\.csv:2:1 This line has 3 fields, and the header 2/],
  ["x.csv", 'id,n\n1,"2\n', /^x\.csv:2:1 A quoted field that begins in this line has no end/],
  ["x.txt", "a", /^x\.txt:1:1 A dataset is a \.jsonl, \.csv or \.json file/],
])("says what is wrong with a dataset %s, and where: %#", (name, text, sentence) => {
  write(name, text);
  expect(found(GOOD.replace("rows.jsonl", name)).join("\n")).toMatch(sentence);
});

it("does not quote a file that it cannot read: any can be named, also one that holds a secret", () => {
  write("key.jsonl", "hunter2\n");
  write("key.pem", "hunter2\n");
  expect([
    ...found(GOOD.replace("rows.jsonl", "key.jsonl")),
    ...found(GOOD.replace('equals: "1"', "schema: key.pem")),
  ]).toEqual([
    "key.jsonl:1:1 This line is no JSON: a row is one JSON object in a line.",
    "flow.eval.yaml:4:15 The schema cannot be used: key.pem is no JSON.",
  ]);
});
