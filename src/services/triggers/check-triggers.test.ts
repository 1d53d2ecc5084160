// Triggers are held against the workflows that they start before anything fires.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { checkProject } from "../project/check-project.ts";

const dir = mkdtempSync(join(tmpdir(), "segno-check-triggers-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
writeFileSync(
  join(dir, "flow.yaml"),
  "workflow: { name: f, entry_point: a, input: { sha: { type: string }, n: { type: number, default: 1 } } }\nagents: [{ name: a, type: set, value: '1' }]\n",
);
writeFileSync(
  join(dir, "wrong.yaml"),
  "workflow: { name: f, entry_point: b }\nagents: [{ name: a, type: set, value: '1' }]\n",
);

const found = (trigger: string): readonly string[] => {
  const file = join(dir, "segno.yaml");
  writeFileSync(file, `triggers:\n  - { name: t, schedule: "@daily", ${trigger} }\n`);
  return checkProject(file, { env: {} }).map(({ rule, location, message }) => `${location.line} ${rule}: ${message}`);
};

it.each([
  ["workflow: flow.yaml, inputs: { sha: '{{ trigger.name }}' }", []],
  ["workflow: flow.yaml", ["2 trigger-input: The trigger `t`: the workflow needs the input `sha`"]],
  [
    "workflow: flow.yaml, inputs: { sha: x, shaa: y }",
    ["2 trigger-input: The trigger `t`: the workflow has no input `shaa`"],
  ],
  [
    "workflow: flow.yaml, inputs: { sha: x, n: many }",
    ["2 trigger-input: The trigger `t`: the input `n` must be of type number"],
  ],
  ["workflow: gone.yaml", ["2 missing-file: The trigger `t`: there is no file `gone.yaml`"]],
  ["workflow: wrong.yaml", ["2 invalid-workflow: The trigger `t`: `wrong.yaml` is not valid"]],
  [
    "workflow: flow.yaml, inputs: { sha: '{{ trigger.' }",
    ["2 template-syntax: The trigger `t`: `inputs.sha` cannot be read"],
  ],
  [
    "workflow: flow.yaml, inputs: { sha: '{{ workflow.name }}' }",
    ["2 template-syntax: The trigger `t`: `inputs.sha` reads `workflow`"],
  ],
  ["workflow: flow.yaml, inputs: { sha: '{{ trigger.body.anything }}{{ trigger.run.status }}' }", []],
  [
    "workflow: flow.yaml, inputs: { sha: '{{ trigger.bdy.sha }}' }",
    ["`inputs.sha` reads `trigger.bdy`, and there is none. Did you mean `body`?"],
  ],
  [
    "workflow: flow.yaml, when: \"trigger.run.stats == 'failed'\", inputs: { sha: x }",
    ["`when` reads `trigger.run.stats`, and there is none. Did you mean `status`?"],
  ],
])("%s", (trigger, sentences) => {
  const all = found(trigger);
  expect(all).toHaveLength(sentences.length);
  for (const [index, sentence] of sentences.entries()) expect(all[index]).toContain(sentence);
});

it("says that a webhook without a secret refuses everything", () => {
  const file = join(dir, "segno.yaml");
  writeFileSync(
    file,
    "triggers:\n  - name: t\n    workflow: flow.yaml\n    webhook: { path: /hooks/t, secret: ${NOT_SET}, verify: token }\n    inputs: { sha: x }\n",
  );
  const findings = checkProject(file, { env: {} });
  expect(findings.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual([
    "warning unset-variable",
    "warning empty-secret",
  ]);
});

it("knows the people and groups of the same file", () => {
  const file = join(dir, "segno.yaml");
  writeFileSync(
    join(dir, "gated.yaml"),
    "workflow: { name: g, entry_point: a }\nagents: [{ name: a, type: human_gate, prompt: go?, approvers: [alex, '@release'], options: [{ value: go, route: $end }] }]\n",
  );
  const triggers = 'triggers: [{ name: t, workflow: gated.yaml, schedule: "@daily" }]\n';
  writeFileSync(file, `people: { alex: {} }\ngroups: { release: [alex] }\n${triggers}`);
  expect(checkProject(file, { env: {} })).toEqual([]);
  writeFileSync(file, `people: { kim: {} }\n${triggers}`);
  expect(checkProject(file, { env: {} })).toMatchObject([{ rule: "invalid-workflow" }]);
});
