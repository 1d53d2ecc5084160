// Triggers are held against the workflows that they start before anything fires.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { checkProject } from "../../services/workflows/check-other-file.ts";

const dir = mkdtempSync(join(tmpdir(), "segno-check-triggers-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
writeFileSync(
  join(dir, "flow.yaml"),
  "workflow: { name: f, entry_point: a, input: { sha: { type: string }, n: { type: number, default: 1 } } }\nagents: [{ name: a, type: set, value: '1' }]\n",
);
for (const name of ["other", "third"])
  writeFileSync(
    join(dir, `${name}.yaml`),
    `workflow: { name: ${name}, entry_point: a }\nagents:\n  - { name: a, type: set, value: '1' }\n`,
  );
writeFileSync(
  join(dir, "wrong.yaml"),
  "workflow: { name: f, entry_point: b }\nagents: [{ name: a, type: set, value: '1' }]\n",
);

writeFileSync(
  join(dir, "placed.yaml"),
  "workflow: { name: p, entry_point: a, runtime: { cell: us } }\nagents: [{ name: a, type: set, value: '1' }]\n",
);

const foundIn = (...triggers: readonly string[]): readonly string[] => {
  const file = join(dir, "segno.yaml");
  writeFileSync(file, `triggers:\n${triggers.map((one) => `  - { ${one} }\n`).join("")}`);
  return checkProject(file, { env: {} }).map(
    ({ rule, severity, location, message }) =>
      `${location.line} ${severity === "error" ? "" : "warning "}${rule}: ${message}`,
  );
};
const found = (trigger: string): readonly string[] => foundIn(`name: t, schedule: "@daily", ${trigger}`);

it("refuses what would swallow the moments of a schedule, and what only a schedule can do", () => {
  expect(found("workflow: other.yaml, dedupe: x")).toEqual([expect.stringContaining("A schedule has no `dedupe`")]);
  for (const source of ["webhook: { path: /hooks/t, secret: x, verify: token }", "on_run: { workflow: f }"]) {
    expect(foundIn(`name: t, workflow: other.yaml, overlap: cancel_running, ${source}`)).toEqual([
      expect.stringContaining("Only a schedule can have `overlap: cancel_running`"),
    ]);
    expect(foundIn(`name: t, workflow: other.yaml, overlap: queue, ${source}`)).toEqual([]);
  }
});

it("warns where one secret serves two paths: what is signed for the one is taken at the other", () => {
  const hook = (name: string, path: string, secret: string) =>
    `name: ${name}, workflow: other.yaml, webhook: { path: ${path}, secret: "${secret}", verify: github }`;
  const warned = [expect.stringMatching(/^3 warning shared-secret: .*same secret as `a`.*`\/hooks\/a`.*`\/hooks\/b`/)];
  expect(foundIn(hook("a", "/hooks/a", "one"), hook("b", "/hooks/b", "one"))).toEqual(warned);
  expect(foundIn(hook("a", "/hooks/a", "one"), hook("b", "/hooks/b", "two"))).toEqual([]);
  const unset = foundIn(hook("a", "/hooks/a", "${HOOK}"), hook("b", "/hooks/b", "${HOOK}"));
  expect(unset.filter((one) => one.includes("shared-secret"))).toEqual(warned);
});

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
  [
    "workflow: placed.yaml, cell: eu",
    ["2 trigger-cell: The trigger `t`: it fires in the cell `eu`, and its workflow wants the cell `us`"],
  ],
  ["workflow: placed.yaml, cell: us", []],
  ["workflow: placed.yaml, cell: '{{ trigger.name }}'", []],
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
  ["workflow: flow.yaml, inputs: { sha: '{{ trigger.scheduled_at }}' }", []],
  [
    "workflow: flow.yaml, inputs: { sha: '{{ trigger.body.sha }}' }",
    [
      "`inputs.sha` reads `trigger.body`, which only a trigger with `webhook` has. With `schedule`, `trigger` has name, fired_at, scheduled_at.",
    ],
  ],
  ["workflow: flow.yaml, inputs: { sha: \"{{ trigger.body.sha if trigger.body is defined else 'x' }}\" }", []],
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

const FLOW = "name: t, workflow: flow.yaml, inputs: { sha: x }";
const HOOK = "path: /hooks/t, secret: s";
it.each([
  [
    `${FLOW}, schedule: "@daily", overlap: maybe`,
    'must be one of skip, queue, cancel_running, but it is the text "maybe"',
  ],
  [`${FLOW}, schedule: "@daily", catch_up: never`, 'must be one of none, last, all, but it is the text "never"'],
  [`${FLOW}, schedule: "@daily", timezone: Mars`, '"Mars" is no time zone.'],
  [
    `${FLOW}, on_run: { workflow: f, status: [bad] }`,
    'must be one of completed, degraded, terminated, failed, cancelled, but it is the text "bad"',
  ],
  [
    `${FLOW}, on_run: { workflow: f, status: bad }`,
    'must be one of completed, degraded, terminated, failed, cancelled, or a list of these, but it is the text "bad"',
  ],
  [
    `${FLOW}, schedule: "@daily", concurrency: { key: k, limit: 0 }`,
    "must be a whole number, 1 or more, but it is the number 0",
  ],
  [
    `${FLOW}, webhook: { ${HOOK}, verify: none }`,
    'must be one of github, standard-webhooks, token, but it is the text "none"',
  ],
])("says of %s what the value is and what is allowed", (trigger, sentence) => {
  const all = foundIn(trigger);
  expect(all).toHaveLength(1);
  expect(all[0]).toContain(sentence);
});

it("does not call a value missing that is wrong beside another", () => {
  const all = foundIn(`${FLOW}, webhook: { path: /elsewhere, secret: s, verify: none }`);
  expect(all).toEqual([
    expect.stringContaining("`triggers[0].webhook.path` must be a path below /hooks/"),
    expect.stringContaining(
      '`triggers[0].webhook.verify` must be one of github, standard-webhooks, token, but it is the text "none"',
    ),
  ]);
});

it.each([
  [`name: t, workflow: flow.yaml, webhook: { ${HOOK}, verify: token }, inputs: { sha: '{{ trigger.body.sha }}' }`, []],
  [
    `name: t, workflow: flow.yaml, webhook: { ${HOOK}, verify: token }, inputs: { sha: '{{ trigger.bdy.sha }}' }`,
    ["`inputs.sha` reads `trigger.bdy`, and there is none. Did you mean `body`?"],
  ],
  [
    `name: t, workflow: flow.yaml, webhook: { ${HOOK}, verify: token }, inputs: { sha: '{{ trigger.scheduled_at }}' }`,
    ["`trigger.scheduled_at`, which only a trigger with `schedule` has"],
  ],
  [
    "name: t, workflow: other.yaml, on_run: { workflow: f }, when: \"trigger.run.stats == 'failed'\"",
    ["`when` reads `trigger.run.stats`, and there is none. Did you mean `status`?"],
  ],
  ["name: t, workflow: other.yaml, on_run: { workflow: f, kind: [release.*, http.unavailable, halt.*, '*'] }", []],
  [
    "name: t, workflow: other.yaml, on_run: { workflow: f, kind: http.unavailble }",
    ["no run ends with `http.unavailble`: it is not one of the engine's kinds. Did you mean `http.unavailable`?"],
  ],
  [
    "name: t, workflow: other.yaml, on_run: { workflow: f, kind: Broken }",
    ['error-kind: The trigger `t`: "Broken" under `on_run.kind` is no kind.'],
  ],
  [
    "name: t, workflow: other.yaml, on_run: { workflow: f, status: completed, kind: release.* }",
    ["a run that completed has none"],
  ],
  [
    "name: t, workflow: other.yaml, on_run: { workflow: othr }",
    [
      "2 warning unknown-workflow: The trigger `t`: it follows runs of `othr`, and no workflow of the project is called that: `on_run.workflow` is the `name` in the file. Did you mean `other`?",
    ],
  ],
  [
    "name: t, workflow: other.yaml, on_run: { workflow: other }",
    ["2 warning trigger-circle: The trigger `t`: each of its runs sets it off again. The chain ends after 8 runs"],
  ],
  [
    `${FLOW}, webhook: { path: /hooks/t, secret: "not base64!", verify: standard-webhooks }`,
    ["2 secret-format: The trigger `t`: its secret is no base64"],
  ],
  [
    `${FLOW}, webhook: { path: /hooks/t, secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, verify: standard-webhooks }`,
    [],
  ],
  [
    `${FLOW}, webhook: { path: /hooks/t, secret: "", verify: token }`,
    ["2 empty-secret: The trigger `t`: its secret is empty, and an empty one verifies nothing."],
  ],
])("finds in %s what would never work", (trigger, sentences) => {
  const all = foundIn(trigger);
  expect(all).toHaveLength(sentences.length);
  for (const [index, sentence] of sentences.entries()) expect(all[index]).toContain(sentence);
});

it("tells once of triggers that start each other in a circle", () => {
  const all = foundIn(
    "name: there, workflow: other.yaml, on_run: { workflow: f }",
    "name: back, workflow: flow.yaml, on_run: { workflow: other }, inputs: { sha: x }",
    "name: aside, workflow: third.yaml, on_run: { workflow: f }",
  );
  expect(all).toEqual([
    expect.stringContaining("The trigger `there`: each of its runs sets it off again by way of `back`."),
  ]);
});

it("finds an empty secret in a file of triggers, too", () => {
  const file = join(dir, "segno.yaml");
  writeFileSync(file, "triggers: own.yaml\n");
  writeFileSync(
    join(dir, "own.yaml"),
    "triggers:\n  - name: t\n    workflow: flow.yaml\n    webhook: { path: /hooks/t, secret: '', verify: token }\n    inputs: { sha: x }\n",
  );
  const findings = checkProject(file, { env: {} });
  expect(findings.map(({ rule, severity, location }) => `${severity} ${rule} ${location.line}`)).toEqual([
    "error empty-secret 4",
  ]);
});

it("points at the part of a trigger that is wrong", () => {
  const lines = [
    "triggers:",
    "  - name: t",
    "    workflow: flow.yaml",
    "    webhook: { path: /hooks/t, secret: ${NOT_SET}, verify: token }",
    "    when: '{{ workflow.name }}'",
    "    inputs: { sha: '{{ trigger.bdy }}', shaa: x, n: many }",
    "  - name: u",
    "    workflow: gone.yaml",
    "    on_run: { workflow: othr, kind: [http.status, http.statsu] }",
    "    inputs: { list: [fine, '{{ trigger.run.stats }}'] }",
    "  - name: v",
    "    workflow: other.yaml",
    "    on_run: { workflow: othr }",
  ];
  const file = join(dir, "segno.yaml");
  writeFileSync(file, `${lines.join("\n")}\n`);
  const found = checkProject(file, { env: {} }).filter(({ rule }) => rule !== "unset-variable");
  expect(found.map(({ rule, location: { line, column } }) => [rule, lines[line - 1]?.slice(column - 1)])).toEqual([
    ["empty-secret", expect.stringMatching(/^\$\{NOT_SET\}/)],
    ["template-syntax", expect.stringMatching(/^'\{\{ workflow/)],
    ["template-syntax", expect.stringMatching(/^'\{\{ trigger\.bdy/)],
    ["trigger-input", expect.stringMatching(/^x, n/)],
    ["trigger-input", expect.stringMatching(/^many/)],
    ["template-syntax", expect.stringMatching(/^'\{\{ trigger\.run\.stats/)],
    ["error-kind", expect.stringMatching(/^http\.statsu/)],
    ["missing-file", "gone.yaml"],
    ["unknown-workflow", expect.stringMatching(/^othr \}/)],
  ]);
  expect(found[0]?.message).toContain("Set NOT_SET.");
});
