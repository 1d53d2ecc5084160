// A run becomes a scenario: it passes, holds no secret, and shares what others have.
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { Playground } from "../../../../test/support/play.ts";
import { refusal } from "../../../services/refusals.ts";
import type { Session } from "../../../services/session/session.ts";
import { openFile } from "../../../storage/sqlite/open.ts";
import { loadScenario } from "../../scenarios/file.ts";
import { testScenarios } from "../../scenarios/test.ts";
import { backtest } from "../backtest.ts";
import { type RecordRequest, recordScenario } from "../record.ts";

const grounds: Playground[] = [];
afterEach(() => {
  for (const ground of grounds.splice(0)) ground.close();
});

function groundWith(files: Readonly<Record<string, string>>): Playground {
  const ground = new Playground();
  grounds.push(ground);
  ground.write(files);
  return ground;
}

const record = (ground: Playground, run: string | null, more: Partial<RecordRequest & Session> = {}) =>
  recordScenario({ ...ground.session, ...more }, { run: run ?? "", to: "tests/one.scenario.yaml", ...more });

const GATED = `workflow: { name: w, entry_point: make, input: { api_token: { type: string, secret: true }, n: { type: number, default: 2 } } }
agents:
  - { name: make, type: script, command: sh, args: [make.sh, "{{ workflow.input.api_token }}"], routes: [{ to: ask }] }
  - { name: ask, type: human_gate, prompt: "Publish {{ make.output.tag }}?", options: [{ label: "Yes", value: "yes", route: publish }, { label: "No", value: "no", route: $end }] }
  - { name: publish, type: script, command: sh, args: [publish.sh], raises: [registry.busy], routes: [{ to: $end }, { on_error: registry.busy, retry: { max: 2, initial_seconds: 0.01 } }] }
output: { tag: "{{ make.output.tag }}", said: "{{ make.output.said }}", long: "{{ make.output.long | length }}" }
`;
const SCRIPTS = {
  "make.sh": `printf '{"tag": "v1", "said": "token is %s", "long": "%s"}' "$1" "$(head -c 9000 /dev/zero | tr '\\0' x)"\n`,
  "publish.sh": `echo x >> count; if [ "$(wc -l < count)" -lt 2 ]; then echo '{"kind":"registry.busy","message":"busy"}' > "$CONDUCTOR_ERROR_OUT"; exit 1; fi\n`,
};
const yes = async () => ({ kind: "gate" as const, value: "yes", additional_input: {} });

it("is not written into a folder whose name begins with a dot", async () => {
  const flow = "workflow: { name: w, entry_point: a }\nsteps: [{ name: a, type: set, value: 1 }]\n";
  const ground = groundWith({ "flow.yaml": flow });
  const { result } = await ground.run("flow.yaml");
  for (const to of [".git/hooks/one.scenario.yaml", "tests/.hidden/one.scenario.yaml", ".github"]) {
    expect((await record(ground, result.run_id, { to })).error).toMatch(/begins with a dot/);
    expect(existsSync(join(ground.folder, to))).toBe(false);
  }
});

it("plays a run again, with its gate, its retry, its long values, and without its secret", async () => {
  const ground = groundWith({ "flow.yaml": GATED, ...SCRIPTS });
  const { result } = await ground.run("flow.yaml", { inputs: { api_token: { text: "s3cret-of-mine-1" } }, ask: yes });
  expect(result.status).toBe("completed");
  expect(await record(ground, result.run_id)).toMatchObject({ error: null, passed: true, problems: [] });
  const text = ground.read("tests/one.scenario.yaml");
  expect(text).not.toContain("s3cret");
  expect(text).toContain("# Stand-ins for secrets: the inputs api_token.");
  expect(text).toContain("# Answers of make held a secret, which is <redacted> here.");
  const { scenario } = loadScenario("tests/one.scenario.yaml", ground.folder);
  expect(scenario).toMatchObject({
    inputs: { api_token: "stand-in-for-api_token", n: 2 },
    gates: { ask: [{ value: "yes" }] },
    cli_scripts: [
      { step: "make", stdout: expect.stringContaining("xxx") },
      { step: "publish", error: { kind: "registry.busy" }, times: 1 },
      { step: "publish", times: 1 },
    ],
    expected_trace: {
      agents_executed: ["make", "ask", "publish", "publish"],
      errors_raised: [{ node: "publish", kind: "registry.busy" }],
      status: "completed",
    },
  });
  const answer = await testScenarios(ground.session, { paths: ["tests"] });
  expect(answer).toMatchObject({ passed: 1, failed: 0 });
  // A changed answer is noticed.
  ground.write({ "tests/one.scenario.yaml": text.replace("registry.busy", "registry.gone") });
  expect(await testScenarios(ground.session, { paths: ["tests"] })).toMatchObject({ failed: 1 });
});

it("keeps long lists and mappings in files beside it", async () => {
  const rows = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, name: `row ${id}` })));
  const ground = groundWith({
    "flow.yaml": `workflow: { name: w, entry_point: a, input: { rows: { type: array } } }
agents: [{ name: a, type: set, value: "{{ workflow.input.rows | length }}" }]
output: { n: "{{ a.output }}" }
`,
  });
  const { result } = await ground.run("flow.yaml", { inputs: { rows: { text: rows } } });
  expect(await record(ground, result.run_id)).toMatchObject({ passed: true });
  expect(ground.read("tests/one.scenario.yaml")).toContain("rows: !file one/1.json");
  expect(readdirSync(`${ground.folder}/tests/one`)).toEqual(["1.json"]);
});

it("plays a run with hooks and an escalation, of the file and of the one that it calls", async () => {
  const ground = groundWith({
    "flow.yaml": `workflow:
  name: w
  entry_point: child
  hooks: { on_start: { command: touch, args: [began] }, on_error: { command: touch, args: [failed] } }
  resilience: { escalate: { command: touch, args: [escalated] } }
agents: [{ name: child, type: workflow, workflow: child.yaml }]
`,
    "child.yaml": `workflow: { name: c, entry_point: a, hooks: { on_start: { command: touch, args: [child] } } }
agents: [{ name: a, type: script, command: sh, args: [-c, "exit 7"], raises: [] }]
`,
  });
  const { result } = await ground.run("flow.yaml");
  expect(result.status).toBe("failed");
  expect(["began", "failed", "escalated", "child"].filter((one) => !existsSync(`${ground.folder}/${one}`))).toEqual([]);
  expect(await record(ground, result.run_id)).toMatchObject({ error: null, passed: true, problems: [] });
  const { scenario } = loadScenario("tests/one.scenario.yaml", ground.folder);
  expect(scenario.cli_scripts.map(({ step }) => step)).toEqual([
    ...["hooks.on_start", "child/hooks.on_start", "child/a", "child/resilience.escalate", "hooks.on_error"],
  ]);
  expect(await testScenarios(ground.session, { paths: ["tests"] })).toMatchObject({ passed: 1, failed: 0 });
  const { runs } = await backtest(ground.session, { file: "flow.yaml" });
  expect(runs).toMatchObject([{ verdict: "same" }]);
});

it("writes only what differs from a scenario that it extends", async () => {
  const ground = groundWith({ "flow.yaml": GATED, ...SCRIPTS });
  const first = await ground.run("flow.yaml", { inputs: { api_token: { text: "s3cret-of-mine-1" } }, ask: yes });
  await record(ground, first.result.run_id, { to: "tests/base.scenario.yaml" });
  const no = async () => ({ kind: "gate" as const, value: "no", additional_input: {} });
  const second = await ground.run("flow.yaml", { inputs: { api_token: { text: "s3cret-of-mine-1" } }, ask: no });
  const answer = await record(ground, second.result.run_id, {
    to: "tests/declined.scenario.yaml",
    extends: "tests/base.scenario.yaml",
  });
  expect(answer).toMatchObject({ passed: true, problems: [] });
  const text = ground.read("tests/declined.scenario.yaml");
  expect(text).toContain("extends: base.scenario.yaml");
  expect(text).not.toContain("workflow:");
  expect(text).not.toContain("inputs:");
  expect(text.split("\n").length).toBeLessThan(ground.read("tests/base.scenario.yaml").split("\n").length);
});

it("ends after the step that is named", async () => {
  const ground = groundWith({ "flow.yaml": GATED, ...SCRIPTS });
  const { result } = await ground.run("flow.yaml", { inputs: { api_token: { text: "s3cret-of-mine-1" } }, ask: yes });
  expect(await record(ground, result.run_id, { until: "make" })).toMatchObject({ error: null, passed: true });
  const { scenario } = loadScenario("tests/one.scenario.yaml", ground.folder);
  expect(scenario).toMatchObject({ until: "make", expected_trace: { agents_executed: ["make"], status: "completed" } });
  expect(scenario.cli_scripts).toHaveLength(1);
  expect((await record(ground, result.run_id, { until: "mak" })).error).toMatch(
    /no step of the workflow file is called mak; did you mean make\?/,
  );
});

it("says why a run cannot be recorded", async () => {
  const ground = groundWith({ "flow.yaml": GATED, ...SCRIPTS });
  const { result } = await ground.run("flow.yaml", { inputs: { api_token: { text: "s3cret-of-mine-1" } } });
  expect(await record(ground, result.run_id)).toMatchObject({ passed: true });
  expect((await record(ground, result.run_id, { to: "tests/one.yaml" })).errors[0]?.message).toMatch(
    /would not be found as a scenario: name it one.scenario.yaml/,
  );
  expect((await record(ground, "nothing")).exit_code).toBe(2);
  expect(existsSync(`${ground.folder}/tests/one.yaml`)).toBe(false);
});

it("calls a run cut off only until it has ended, also where its journal cannot be played", async () => {
  const flow = `workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: script, command: test, args: ["1", "=", "2"], raises: [], routes: [{ to: b }, { on_error: true, to: b }] }
  - { name: b, type: script, command: echo, routes: [{ to: b, when: "{{ context.iteration < 4 }}" }, { to: $end }] }
`;
  const ground = groundWith({ "flow.yaml": flow });
  const stop = new AbortController();
  const { result } = await ground.run("flow.yaml", {
    signal: stop.signal,
    on: ({ type }) => {
      if (type === "route_taken") stop.abort();
    },
  });
  const run = result.run_id ?? "";
  const refused = async () => (await record(ground, run)).errors[0]?.message;
  expect(await refused()).toMatch(/was cut off in b, .* Resume it first\.$/);
  ground.write({ "flow.yaml": flow.replace('"2"', '"1"') });
  expect((await ground.resume(run)).result.status).toBe("completed");
  expect(await refused()).toBeUndefined();
  // Somebody edits it.
  const journal = openFile(join(ground.session.home, "runs", run, "journal.db"), { busyMs: 1000 });
  journal.exec(`UPDATE batches SET data = replace(data, '"b#2"', '"b#5"')`);
  journal.close();
  expect(await refused()).toMatch(
    /its journal cannot be played: it ended as completed, and played it asks what was not recorded at b$/,
  );
});

it("hides what is a secret by its name wherever it stands", async () => {
  const ground = groundWith({
    "flow.yaml": `workflow: { name: w, entry_point: a }
agents: [{ name: a, type: script, command: echo, args: ['{"db_password": "late-by-name-991!"}'] }]
output: { x: "it is {{ a.output.db_password }}" }
`,
  });
  const { result } = await ground.run("flow.yaml");
  expect(await record(ground, result.run_id)).toMatchObject({ passed: true });
  expect(ground.read("tests/one.scenario.yaml").replace(/^workflow.*$/m, "")).not.toContain("late-by-name");
});

it("plays again a run that asks anew what has changed since it was answered", async () => {
  const flow = (question: string, code: number): string => `workflow: { name: w, entry_point: work }
agents:
  - { name: work, type: script, command: echo, args: ["{{ context.iteration }}"], routes: [{ to: ask }] }
  - { name: ask, type: human_gate, prompt: "${question}?", options: [{ label: Again, value: again, route: work }, { label: Done, value: done, route: last }] }
  - { name: last, type: script, command: sh, args: [-c, "exit ${code}"], raises: [no.way], routes: [{ to: $end }] }
`;
  const ground = groundWith({ "flow.yaml": flow("First", 1) });
  const answers = ["again", "done"];
  const ask = async () => ({ kind: "gate" as const, value: answers.shift() ?? "", additional_input: {} });
  const run = (await ground.run("flow.yaml", { ask })).result.run_id ?? "";
  const recorded = async () => {
    expect(await record(ground, run)).toMatchObject({ error: null, passed: true });
    expect((await backtest(ground.session, { file: "flow.yaml", runs: [run] })).runs[0]?.verdict).toBe("same");
    return loadScenario("tests/one.scenario.yaml", ground.folder).scenario;
  };
  ground.write({ "flow.yaml": flow("Second", 0) });
  expect((await ground.resume(run)).result.status).toBe("paused");
  expect(await recorded()).toMatchObject({ gates: { ask: [{ nobody: "yet" }] }, expected_trace: { status: "paused" } });
  answers.push("done");
  expect((await ground.resume(run, { ask })).result.status).toBe("completed");
  expect(await recorded()).toMatchObject({
    gates: { ask: [{ value: "done" }] },
    expected_trace: { status: "completed" },
  });
});

it.each([
  ["a command that is not there", "command: no-such-tool", "{{ a.error.details.path is string }}"],
  [
    "an output that does not fit",
    `command: echo, args: ['{"n": "text"}'], output: { n: { type: number } }`,
    "{{ a.output.n }}",
  ],
  ["an error file that cannot be used", `command: sh, args: [-c, 'echo x > "$SEGNO_ERROR_OUT"']`, "no"],
  ["a kind that only the engine raises", "command: sh, args: [claim.sh]", "no"],
])("plays again what the engine says of a script: %s", async (_, fields, said) => {
  const ground = groundWith({
    "flow.yaml": `workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: script, ${fields}, routes: [{ on_error: "internal.*", to: b }, { to: $end }] }
  - { name: b, type: script, command: echo, args: ["${said}"] }
output: { kind: "{{ a.error.kind }}", said: "{{ a.error.message }}" }
`,
    "claim.sh": `echo '{"kind":"http.status","message":"it is down."}' > "$SEGNO_ERROR_OUT"; exit 1\n`,
  });
  const { result } = await ground.run("flow.yaml");
  expect(await record(ground, result.run_id)).toMatchObject({ error: null, passed: true, problems: [] });
  const { scenario } = loadScenario("tests/one.scenario.yaml", ground.folder);
  expect(scenario.expected_trace).toMatchObject({ output: result.output, errors_raised: [{ node: "a" }] });
  expect(ground.read("tests/one.scenario.yaml")).not.toContain(process.env.PATH);
  expect(JSON.stringify(result.output)).not.toContain("..");
});

it("writes over nothing but its own", async () => {
  const ground = groundWith({
    "flow.yaml": GATED,
    ...SCRIPTS,
    "tests/mine.scenario.yaml": "mine\n",
    "vic.txt": "vic\n",
  });
  const { result } = await ground.run("flow.yaml", { inputs: { api_token: { text: "s3cret-of-mine-1" } }, ask: yes });
  symlinkSync(`${ground.folder}/vic.txt`, `${ground.folder}/tests/link.scenario.yaml`);
  for (const to of ["tests/mine.scenario.yaml", "tests/link.scenario.yaml", "vic.txt"])
    expect((await record(ground, result.run_id, { to })).errors[0]?.message, to).toMatch(/exists already|is a file/);
  expect([ground.read("tests/mine.scenario.yaml"), ground.read("vic.txt")]).toEqual(["mine\n", "vic\n"]);
  expect(await record(ground, result.run_id)).toMatchObject({ passed: true });
  expect(await record(ground, result.run_id)).toMatchObject({ passed: true });
  const refused = await record(ground, result.run_id, {
    to: "other",
    confine: () => {
      throw refusal("not there");
    },
  });
  expect(refused.errors[0]?.message).toBe("not there");
});

it("of scenarios that extend each other without end, or a fixture that is not there, says so", async () => {
  const ground = groundWith({
    "flow.yaml": `workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: script, command: make }]\noutput: { out: "{{ a.output.stdout }}" }\n`,
    "a.scenario.yaml": "extends: b.scenario.yaml\n",
    "b.scenario.yaml": "extends: a.scenario.yaml\n",
    "c.scenario.yaml": "workflow: flow.yaml\nfixtures: [made.yaml]\nexpected_trace: { output: { out: made } }\n",
    "d.scenario.yaml": "workflow: flow.yaml\nfixtures: [nowhere.yaml]\n",
    "e.scenario.yaml": "extends: c.scenario.yaml\ncli_scripts: [{ step: b, stdout: no }]\n",
    "made.yaml": "cli_scripts: [{ command: make, stdout: made }]\n",
  });
  const { scenarios } = await testScenarios(ground.session, { paths: ["."] });
  expect(scenarios.map(({ file, passed, problems }) => [file, passed, problems[0] ?? ""])).toEqual([
    ["a.scenario.yaml", false, expect.stringMatching(/^these scenarios extend each other without end/)],
    ["b.scenario.yaml", false, expect.stringMatching(/^these scenarios extend each other without end/)],
    ["c.scenario.yaml", true, ""],
    ["d.scenario.yaml", false, expect.stringMatching(/^the fixture nowhere.yaml cannot be read/)],
    ["e.scenario.yaml", false, expect.stringMatching(/e\.scenario\.yaml:2:\d+.*\bb\b/)],
  ]);
});
