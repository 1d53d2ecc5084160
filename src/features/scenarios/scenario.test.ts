import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Playground } from "../../../test/support/play.ts";
import { runWorkflow } from "../../services/runs/run.ts";
import { extensionsFrom } from "../../services/session/extensions.ts";
import { generateScenarios } from "./generate-scenarios.ts";
import { testScenarios } from "./test.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

const FLOW = `
workflow: { name: flow, entry_point: build, runtime: { provider: claude }, limits: { max_iterations: 30 } }
agents:
  - { name: build, type: script, command: make, args: [all], timeout: 60, routes: [{ to: review }, { on_error: internal.timeout, retry: { max: 2, initial_seconds: 30 } }, { on_error: internal.script_error, to: fixup }] }
  - { name: review, prompt: "ok?", output: { approved: { type: boolean } }, routes: [{ to: ask, when: "approved" }, { to: build }] }
  - { name: ask, type: human_gate, prompt: go?, options: [{ label: Y, value: y, route: done }, { label: N, value: n, route: fixup }] }
  - { name: done, type: set, value: shipped }
  - { name: fixup, type: set, value: fixed }
output: { got: "{% if done is defined %}{{ done.output }}{% else %}{{ fixup.output }}{% endif %}" }
`;

const problemsOf = async (scenario: string, more: object = {}): Promise<readonly string[]> => {
  ground.write({ "flow.yaml": FLOW, "one.scenario.yaml": `workflow: flow.yaml\n${scenario}` });
  const { scenarios } = await testScenarios({ ...ground.session, ...more }, { paths: ["one.scenario.yaml"], ...more });
  return scenarios[0]?.problems ?? ["there is no scenario"];
};

/** A step type of one's own that really does something, and how often it did. */
async function ownDeploy() {
  let count = 0;
  const extensions = await extensionsFrom({
    steps: [
      {
        type: "deploy",
        description: "deploys",
        version: 1,
        schema: { type: "object", properties: { to: { type: "string" } } },
        execute: () => {
          count++;
          return { ok: true, output: "really" };
        },
      },
    ],
  });
  return { extensions, deployed: () => count };
}

describe("a scenario of a workflow with own steps", () => {
  const play = async (scenario: string) => {
    const { extensions, deployed } = await ownDeploy();
    ground.write({
      "own.yaml": `workflow: { name: own, entry_point: go }
agents:
  - { name: go, type: deploy, to: production, timeout: 60, routes: [{ to: done }, { on_error: deploy.refused, to: fixup }, { on_error: internal.timeout, to: fixup }] }
  - { name: done, type: set, value: "{{ go.output }}" }
  - { name: fixup, type: set, value: fixed }
output: { got: "{% if done is defined %}{{ done.output }}{% else %}{{ fixup.output }}{% endif %}" }
`,
      "own.scenario.yaml": `workflow: own.yaml\n${scenario}`,
    });
    const said: string[] = [];
    const { scenarios } = await testScenarios(
      { ...ground.session, extensions },
      { paths: ["own.scenario.yaml"], onRealCalls: (_, calls) => said.push(...calls) },
    );
    return { deployed: deployed(), said, problems: scenarios[0]?.problems ?? ["there is no scenario"] };
  };

  it.each([
    ["by its name", "{ step: go, output: scripted }", "scripted"],
    ["by its type", "{ type: deploy, output: { at: 3 } }", "{'at': 3}"],
    ["with an error", "{ step: go, error: { kind: deploy.refused, message: no } }", "fixed"],
    ["past its timeout", "{ step: go, takes_seconds: 90, output: late }", "fixed"],
  ])("answers for an own step %s, and its code does not run", async (_, script, got) => {
    const { deployed, said, problems } = await play(
      `step_scripts: [${script}]\nexpected_trace: { output: { got: "${got}" } }\n`,
    );
    expect({ deployed, said, problems }).toEqual({ deployed: 0, said: [], problems: [] });
  });

  it("says before it runs that an own step which nothing answers for runs for real", async () => {
    const { deployed, said, problems } = await play("cli_scripts: [{ command: make }]\n");
    expect({ deployed, said, problems }).toEqual({ deployed: 1, said: ["go runs the code of deploy"], problems: [] });
  });

  it.each(["strict: true", "step_scripts: [{ type: other, output: 1 }]"])(
    "with %s does not run what is not scripted",
    async (scenario) => {
      const { deployed, said, problems } = await play(`${scenario}\n`);
      expect({ deployed, said }).toEqual({ deployed: 0, said: [] });
      expect(problems.join("\n")).toMatch(/own step type deploy, called by go, is not scripted/);
    },
  );

  it("is told where it answers for one in another list, and for another step as if it were one", async () => {
    const { problems } = await play(
      "cli_scripts: [{ step: go, stdout: x }]\nstep_scripts: [{ step: done, output: 1 }]\n",
    );
    expect(problems.join("\n")).toMatch(
      /cli_scripts\[0\] names go, which is a step of your own type deploy: step_scripts/,
    );
    expect(problems.join("\n")).toMatch(/step_scripts\[0\] names done, and that is no step of a type of your own/);
  });

  it("is generated so that nothing of it runs for real", async () => {
    const { extensions, deployed } = await ownDeploy();
    ground.write({
      "own.yaml": `workflow: { name: own, entry_point: go }
agents:
  - { name: go, type: deploy, routes: [{ to: build }] }
  - { name: build, type: script, command: make, routes: [{ to: $end }, { on_error: true, to: fixup }] }
  - { name: fixup, type: set, value: "{{ go.output.status }}" }
`,
    });
    const { generated, error } = await generateScenarios(
      { ...ground.session, extensions },
      { file: "own.yaml", paths: [] },
    );
    expect(error).toBeNull();
    expect(generated.map(({ skip }) => skip)).toEqual([undefined]);
    expect(deployed()).toBe(0);
  });
});

describe("a scenario", () => {
  it("passes when the run did what it says", async () => {
    const problems = await problemsOf(`
agent_scripts: { review: [{ content: { approved: false } }, { content: { approved: true } }] }
cli_scripts: [{ command: make, args: [all], stdout: built }]
gates: { ask: y }
expected_trace:
  agents_executed: [build, review, build, review, ask, done]
  scripts_executed: [build, build]
  gates_resolved: { ask: y }
  routes_taken: ["review -> build", "review->ask"]
  reached_terminal: true
  status: completed
  exit_code: 0
  output_contains: { got: shipped }
`);
    expect(problems).toEqual([]);
  });

  it.each([
    ['".."', "a folder"],
    ['"."', "a folder"],
    ['""', "empty"],
    ['"a\\0b"', "zero byte"],
    [`"${"x".repeat(400)}"`, "longer than"],
  ])("that scripts the command %s is told where no command can be called that", async (name, why) => {
    for (const strict of ["", "strict: false\n"]) {
      const [problem, ...more] = await problemsOf(`${strict}cli_scripts: [{ command: ${name}, stdout: hi }]\n`);
      expect(problem).toMatch(/one\.scenario\.yaml:\d+:\d+ /);
      expect(problem).toContain(why);
      expect(more).toEqual([]);
    }
  });

  it("says each difference in a sentence", async () => {
    const problems = await problemsOf(`
cli_scripts: [{ command: make, exit_code: 2 }]
expected_trace: { agents_executed: [build, done], status: failed, output_contains: { got: shipped } }
`);
    expect(problems).toHaveLength(3);
    expect(problems.join("\n")).toMatch(/"done" did not happen[\s\S]*status is "completed"[\s\S]*got is "fixed"/);
  });

  it("waits exactly as long each time, whatever jitter the retries have", async () => {
    ground.write({
      "again.yaml": `workflow: { name: f, entry_point: a, resilience: { retry: { max_retries: 2, initial_delay: 10, backoff_multiplier: 2, jitter: 1, retryable: ["http.*"] } } }\nagents: [{ name: a, type: http, url: 'http://localhost/x' }]\n`,
      "again.scenario.yaml":
        "workflow: again.yaml\nhttp_scripts: [{ step: a, times: 2, status: 503 }, { step: a, body: {} }]\nexpected_trace: { agents_executed: [a, a, a], waits_seconds: 30 }\n",
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["again.scenario.yaml"] });
    expect(scenarios).toMatchObject([{ problems: [] }]);
  });

  it("lets entries for the same calls answer in turn, the last of them from then on", async () => {
    ground.write({
      "turn.yaml":
        "workflow: { name: f, entry_point: a }\nsteps: [{ name: a, type: http, url: 'http://localhost/x', routes: [{ when: '{{ a.output.body.n < 3 }}', to: a }, { to: b }] }, { name: b, type: http, url: 'http://localhost/x' }]\noutput: { n: '{{ b.output.body.n }}' }\n",
      "turn.scenario.yaml":
        'workflow: turn.yaml\nhttp_scripts: [{ url: "*", body: { n: 1 } }, { url: "*", body: { n: 2 } }, { url: "*", body: { n: 3 } }]\nexpected_trace: { agents_executed: [a, a, a, b], output_contains: { n: 3 } }\n',
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["turn.scenario.yaml"] });
    expect(scenarios).toMatchObject([{ problems: [] }]);
  });

  it("waits in virtual time for retries and timeouts", async () => {
    const problems = await problemsOf(`
cli_scripts:
  - { command: make, times: 2, takes_seconds: 90 }
  - { command: make, exit_code: 2 }
expected_trace:
  errors_raised: [{ node: build, kind: internal.timeout }, { node: build, kind: internal.timeout }, { node: build, kind: internal.script_error }]
  waits_seconds: ${60 + 30 + 60 + 60}
`);
    expect(problems).toEqual([]);
  });

  it.each([
    [
      "http",
      "type: http, url: 'http://localhost/x', timeout: 30",
      "http_scripts: [{ step: a, takes_seconds: 90, body: {} }]",
    ],
    ["mcp", "type: mcp, server: s, tool: t, timeout: 30", "mcp_scripts: [{ step: a, takes_seconds: 90, content: x }]"],
    ["agent", "prompt: hi, timeout_seconds: 30", "agent_scripts: { a: [{ takes_seconds: 90, content: x }] }"],
  ])("lets a scripted %s call run past its step's timeout", async (_, step, script) => {
    ground.write({
      "slow.yaml": `workflow: { name: f, entry_point: a, runtime: { mcp_servers: { s: { command: none } } } }\nagents: [{ name: a, ${step}, routes: [{ to: $end }, { on_error: internal.timeout, to: late }] }, { name: late, type: set, value: 1 }]\n`,
      "slow.scenario.yaml": `workflow: slow.yaml\n${script}\nexpected_trace: { agents_executed: [a, late], waits_seconds: 30 }\n`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["slow.scenario.yaml"] });
    expect(scenarios).toMatchObject([{ passed: true }]);
  });

  it.each([
    ["a command", "cli_scripts: [{ command: other }]", /make all/],
    ["an agent", "cli_scripts: [{ command: make }]\nagent_scripts: { other: [{ content: x }] }", /the agent.*review/],
    [
      "a gate",
      "cli_scripts: [{ command: make }]\nagent_scripts: { review: [{ content: { approved: true } }] }\ngates: { other: y }",
      /the gate ask/,
    ],
  ])("fails when %s is not scripted", async (_, scenario, message) => {
    expect((await problemsOf(scenario)).join()).toMatch(message);
  });

  it("is not strict with a list of a gate's answers that is used up only when it says so", async () => {
    ground.write({
      "loop.yaml": `workflow: { name: f, entry_point: call, limits: { max_iterations: 9 } }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end, when: "{{ context.iteration > 1 }}" }, { to: call }] }
`,
      "child.yaml": `workflow: { name: c, entry_point: ask }\nagents: [{ name: ask, type: human_gate, prompt: go?, options: [{ label: Y, value: y, route: $end }] }]\n`,
      "loop.scenario.yaml": "workflow: loop.yaml\ngates: { ask: [y] }\nexpected_trace: { status: completed }\n",
    });
    const of = async (more: object) =>
      (await testScenarios({ ...ground.session, ...more }, { paths: ["loop.scenario.yaml"], ...more })).scenarios[0]
        ?.problems;
    expect(await of({})).toEqual(["the answers scripted for the gate ask are used up: it was presented 2 times"]);
    expect(await of({ strict: false })).toEqual([]);
  });

  it.each([
    ["none, when its script has none", "content: { summary: s }", "0"],
    ["those of its script", "content: { summary: s }, changes: { files: [a.ts] }", "1"],
    [
      "those of its script, with lines",
      "content: { summary: s }, changes: { files: [{ path: a.ts, change: added, added: 2, removed: 0 }], added: 2 }",
      "1",
    ],
  ])("gives a coding agent changes of its folder: %s", async (_, answer, files) => {
    ground.write({
      "fix.yaml": `workflow: { name: f, entry_point: fix, runtime: { provider: codex } }\nagents: [{ name: fix, prompt: Go., output: { summary: { type: string } } }]\noutput: { changed: "n={{ fix.changes.files | length }}", said: "{{ fix.output | tojson }}" }\n`,
      "fix.scenario.yaml": `workflow: fix.yaml\nagent_scripts: { fix: [{ ${answer} }] }\nexpected_trace: { output_contains: { changed: "n=${files}", said: { summary: s } } }\n`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["fix.scenario.yaml"] });
    expect(scenarios).toMatchObject([{ problems: [] }]);
  });

  it.each([
    ["the file's", "runtime: { provider: copilot }", "", "true"],
    ["the step's", "context: { mode: accumulate }", "provider: copilot, ", "true"],
    ["the step's over the file's", "runtime: { provider: anthropic }", "provider: codex, ", "true"],
    ["a model's", "runtime: { provider: copilot }", "provider: anthropic, ", "false"],
    ["the one that is asked when a file names nobody", "context: { mode: accumulate }", "", "true"],
  ])("gives changes where the provider that answers is an agent: %s", async (_, section, step, has) => {
    ground.write({
      "fix.yaml": `workflow: { name: f, entry_point: fix, ${section} }\nagents: [{ name: fix, ${step}prompt: Go., output: { summary: { type: string } } }]\noutput: { has: "{{ fix.changes is defined }}" }\n`,
      "fix.scenario.yaml": `workflow: fix.yaml\nagent_scripts: { fix: [{ content: { summary: s } }] }\nexpected_trace: { output_contains: { has: ${has} } }\n`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["fix.scenario.yaml"] });
    expect(scenarios).toMatchObject([{ problems: [] }]);
  });

  it("refuses changes for an agent that is a model: it changes no files", async () => {
    ground.write({
      "fix.yaml": `workflow: { name: f, entry_point: fix, runtime: { provider: anthropic } }\nagents: [{ name: fix, prompt: Go. }]\n`,
      "fix.scenario.yaml": `workflow: fix.yaml\nagent_scripts: { fix: [{ content: s, changes: { files: [a.ts] } }] }\n`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["fix.scenario.yaml"] });
    expect(scenarios[0]?.problems.join()).toContain("only agents that work in a folder have changes");
  });

  it("reads its inputs as the command line would", async () => {
    ground.write({
      "sum.yaml": `workflow: { name: f, entry_point: a, input: { n: { type: number }, list: { type: array }, text: { type: string } } }\nagents: [{ name: a, type: set, value: "{{ workflow.input.n + 1 }} {{ workflow.input.list | length }} {{ workflow.input.text }}" }]\noutput: { got: "{{ a.output }}" }\n`,
      "sum.scenario.yaml": `workflow: sum.yaml\ninputs: { n: "41", list: "[1, 2]", text: "7" }\nexpected_trace: { output_contains: { got: "42 2 7" } }\n`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["sum.scenario.yaml"] });
    expect(scenarios).toMatchObject([{ problems: [] }]);
  });

  it("reads a number that is given for a text as it is written, as the command line would", async () => {
    ground.write({
      "say.yaml": `workflow: { name: f, entry_point: a, input: { v: { type: string }, w: { type: string }, n: { type: number } } }\nagents: [{ name: a, type: set, value: "{{ workflow.input.v }} {{ workflow.input.w }} {{ workflow.input.n + 1 }}" }]\noutput: { got: "{{ a.output }}" }\n`,
      "say.scenario.yaml": `workflow: say.yaml\ninputs: { v: 1.20, w: true, n: 7 }\nexpected_trace: { output_contains: { got: "1.20 true 8" } }\n`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["say.scenario.yaml"] });
    expect(scenarios).toMatchObject([{ problems: [] }]);
  });

  it.each([
    [
      "a refused answer",
      "cli_scripts: [{ command: make }]\nagent_scripts: { review: [{ content: { ok: true } }] }",
      /^the answer scripted for review was refused: approved: it is missing/,
    ],
    [
      "a failure that nobody expected",
      "cli_scripts: [{ command: make }]\nagent_scripts: { review: [{ error: { kind: provider.rejected, message: no such model } }] }\nexpected_trace: { status: completed }",
      /^the run failed: review: no such model/,
    ],
    [
      "an answer that is none of the gate's",
      "cli_scripts: [{ command: make }]\nagent_scripts: { review: [{ content: { approved: true } }] }\ngates: { ask: maybe }\nexpected_trace: { reached_terminal: true }",
      /^ask raised internal.bad_value: "maybe" is none of the options/,
    ],
  ])("that fails names first %s", async (_, scenario, cause) => {
    expect((await problemsOf(scenario))[0]).toMatch(cause);
  });

  it("that fails names first a command that is not there, also when the handler of that is what it does not script", async () => {
    ground.write({
      "tool.yaml": `workflow: { name: f, entry_point: a, runtime: { provider: claude } }
agents:
  - { name: a, type: script, command: no-such-tool, routes: [{ to: $end }, { on_error: "*", to: escalate }] }
  - { name: escalate, prompt: what now? }
`,
      "tool.scenario.yaml": "workflow: tool.yaml\nexpected_trace: { agents_executed: [a] }\n",
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["tool.scenario.yaml"] });
    expect(scenarios[0]?.problems).toEqual([
      expect.stringMatching(/^a raised internal.command_not_found: the command no-such-tool was not found on PATH/),
      expect.stringMatching(/^the agent, called by escalate, is not scripted$/),
    ]);
    const run = { ...ground.session, file: "tool.yaml", inputs: {}, scenario: "tool.scenario.yaml", strict: false };
    const [error] = (await runWorkflow(run, run)).errors;
    expect(error?.message).toMatch(
      /^a raised internal.command_not_found: .*; after that, the agent, called by escalate/,
    );
    expect(error?.hint).not.toContain("strict");
  });

  it("that fails names the error that nobody handled, not one that a route took before", async () => {
    ground.write({
      "late.yaml": `workflow: { name: f, entry_point: a }
agents:
  - { name: a, type: script, command: no-such-tool, routes: [{ to: $end }, { on_error: "*", to: b }] }
  - { name: b, type: script, command: sh, args: [-c, "exit 3"], raise_when: [{ when: exit_code == 3, kind: x.y, message: three }] }
`,
      "late.scenario.yaml": "workflow: late.yaml\nexpected_trace: { status: completed }\n",
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["late.scenario.yaml"] });
    expect(scenarios[0]?.problems).toEqual(["the run failed: b: three", expect.stringMatching(/^status is/)]);
  });

  it("answers gates of items and of children by their names, before those of the plain step", async () => {
    const gate = `type: human_gate, prompt: go?, options: [{ label: Y, value: y, route: $end }, { label: N, value: n, route: $end }]`;
    ground.write({
      "child.yaml": `workflow: { name: c, entry_point: ask }\nagents: [{ name: ask, ${gate} }]\n`,
      "outer.yaml": `workflow: { name: o, entry_point: each, input: { xs: { type: array, default: [a, b] } } }
agents:
  - { name: sub, type: workflow, workflow: child.yaml, routes: [{ to: ask }] }
  - { name: ask, ${gate} }
for_each:
  - { name: each, type: for_each, source: workflow.input.xs, as: it, agent: { name: g, ${gate.replaceAll(", route: $end", "")} }, routes: [{ to: sub }] }
`,
      "outer.scenario.yaml": `workflow: outer.yaml
gates: { "each[0]": y, g: n, sub/ask: n, ask: y }
expected_trace: { gates_resolved: { "each[0]": y, "each[1]": n, sub/ask: n, ask: y }, status: completed }
`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["outer.scenario.yaml"] });
    expect(scenarios[0]?.problems).toEqual([]);
  });

  it("is refused by `run` as well when it names a step that is not there", async () => {
    ground.write({ "flow.yaml": FLOW, "s.yaml": "workflow: flow.yaml\ngates: { aske: y }\n" });
    const { result } = await ground.run("flow.yaml", { scenario: "s.yaml" });
    expect(result).toMatchObject({ exit_code: 2, errors: [{ error_type: "ScenarioError" }] });
    expect(result.error).toMatch(/^s\.yaml:2:10: gates names aske.*did you mean ask\?/);
  });

  it("says what to do when its workflow does not load", async () => {
    ground.write({ "w.workflow.ts": "export default 1;\n", "s.scenario.yaml": "workflow: w.workflow.ts\n" });
    const { scenarios } = await testScenarios(ground.session, { paths: ["s.scenario.yaml"] });
    expect(scenarios[0]?.problems.join("\n")).toMatch(/is trusted\. Name it in a segno\.yaml .* segno trust\.$/);
  });

  it("stays as lenient on a resume as the run was", async () => {
    ground.write({
      "flow3.yaml": `workflow: { name: f, entry_point: a }
agents:
  - { name: a, type: script, command: scripted, routes: [{ to: b }] }
  - { name: b, type: script, command: sh, args: [-c, "test -e there"], raise_when: [{ when: exit_code == 1, kind: x.y, message: not yet }] }
`,
      "s.yaml": "workflow: flow3.yaml\ncli_scripts: [{ command: scripted }]\n",
    });
    const { result } = await ground.run("flow3.yaml", { scenario: "s.yaml", strict: false });
    expect(result).toMatchObject({ exit_code: 3, errors: [{ kind: "x.y" }] });
    ground.write({ there: "" });
    expect((await ground.resume(result.run_id ?? "")).result).toMatchObject({ exit_code: 0 });
  });

  it.each([
    ["agent_scripts: { reviev: [{ content: x }] }", /agent_scripts names reviev.*did you mean review\?/],
    ["gates: { aske: y }", /gates names aske.*did you mean ask\?/],
    ["questions: { aks: { a: b } }", /questions names aks/],
    ["gates: { 'flow/aske': y }", /^one\.scenario\.yaml:2:10: gates names flow\/aske/],
    ["gates: { 'aske[0]': y }", /gates names aske\[0\].*did you mean ask\?/],
  ])("says that no step has the name in %s", async (scenario, expected) => {
    expect((await problemsOf(scenario))[0]).toMatch(expected);
  });

  it.each([
    ["true", []],
    ["stop", []],
    ["false", [/ended as terminated, which is an end/]],
    [
      "stopp",
      [
        /^end\.scenario\.yaml:2:37: reached_terminal names stopp, and no .* did you mean stop\?$/,
        /by stop, expected stopp/,
      ],
    ],
    [
      "other",
      [
        /reached_terminal names other, and no terminate step has that name; there is stop, and \$end/,
        /by stop, expected other/,
      ],
    ],
    ["$end", [/by stop, expected \$end/]],
    ["3", [/true, false or the name/]],
  ])("checks reached_terminal: %s", async (expected, problems) => {
    ground.write({
      "end.yaml": `workflow: { name: f, entry_point: stop }\nagents: [{ name: stop, type: terminate, status: success, reason: enough }]\n`,
      "end.scenario.yaml": `workflow: end.yaml\nexpected_trace: { reached_terminal: ${expected} }\n`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["end.scenario.yaml"] });
    expect(scenarios[0]?.problems).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });

  it("lets `run` be lenient too: what is not scripted runs for real, and calls what is", async () => {
    ground.write({
      "real.sh": "#!/bin/sh\nfetch-it origin\n",
      "flow2.yaml": `workflow: { name: f, entry_point: a }\nagents: [{ name: a, type: script, command: ./real.sh }]\noutput: { said: "{{ a.output.stdout | trim }}" }\n`,
      "s.yaml": "workflow: flow2.yaml\ncli_scripts: [{ command: fetch-it, stdout: scripted }]\n",
    });
    chmodSync(join(ground.folder, "real.sh"), 0o755);
    const strict = await ground.run("flow2.yaml", { scenario: "s.yaml" });
    expect(strict.result).toMatchObject({ exit_code: 1, errors: [{ error_type: "ScenarioError" }] });
    const lenient = await ground.run("flow2.yaml", { scenario: "s.yaml", strict: false });
    expect(lenient.result).toMatchObject({ exit_code: 0, output: { said: "scripted" } });
  });

  it("injects an error at a given attempt", async () => {
    const problems = await problemsOf(`
cli_scripts: [{ command: make, exit_code: 2 }]
inject: [{ step: build, attempt: 1, error: { kind: internal.timeout, message: too slow } }]
expected_trace: { agents_executed: [build, build, fixup], errors_raised: [{ kind: internal.timeout }, { kind: internal.script_error }] }
`);
    expect(problems).toEqual([]);
  });

  it("puts scripted commands first on the PATH of scripts that run for real, when it is not strict", async () => {
    ground.write({
      "real.sh": "#!/bin/sh\nfetch-it origin\n",
      "flow2.yaml": `workflow: { name: f, entry_point: a }\nagents: [{ name: a, type: script, command: ./real.sh }]\noutput: { said: "{{ a.output.stdout | trim }}" }\n`,
      "two.scenario.yaml":
        "workflow: flow2.yaml\ncli_scripts: [{ command: fetch-it, args: [origin], stdout: scripted }]\nexpected_trace: { output_contains: { said: scripted } }\n",
    });
    chmodSync(join(ground.folder, "real.sh"), 0o755);
    const { scenarios } = await testScenarios(ground.session, { paths: ["two.scenario.yaml"], strict: false });
    expect(scenarios).toMatchObject([{ passed: true }]);
  });

  it.each([
    [
      "cli_script: []",
      /one\.scenario\.yaml:2:1 `cli_script` is not a field of a scenario. Did you mean `cli_scripts`\?/,
    ],
    ["expected_trace: { statsu: failed }", /:2:19 `statsu` is not a field of .*Did you mean `status`\?/],
    ["agent_scripts: { review: 3 }", /:2:26 `agent_scripts.review` must be a list of mappings, but it is the number 3/],
    ["gates: [a", /:3:1 .*not closed/],
  ])("says where and what it is when it holds %s", async (scenario, expected) => {
    expect((await problemsOf(`${scenario}\n`)).join()).toMatch(expected);
  });
});

describe("coverage", () => {
  const gates = `
workflow: { name: gates, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: go?, options: [{ label: Y, value: "{{ 'y' }}", route: named }, { label: N, value: n, route: $end }] }
  - { name: named, type: human_gate, prompt: go?, options: [{ name: a }, { name: b }], routes: [{ to: $end, when: "choice == 'a'" }, { to: $end }] }
`;
  const covered = async (answers: string, more: object = {}) => {
    ground.write({ "gates.yaml": gates, "g.scenario.yaml": `workflow: gates.yaml\ngates: ${answers}\n` });
    return testScenarios({ ...ground.session, ...more }, { paths: ["g.scenario.yaml"], coverage: true, ...more });
  };

  it("counts the options of a gate that lead somewhere as success routes", async () => {
    const { coverage } = await covered("{ ask: y, named: a }");
    expect(coverage?.files[0]).toMatchObject({
      success_routes: { taken: 2, total: 4 },
      untaken: [
        { what: "success route", node: "ask", index: 1, line: 4, route: "answer n, to $end" },
        { what: "success route", node: "named", index: 1 },
      ],
    });
    expect((await covered("{ ask: n }")).coverage?.files[0]?.success_routes).toEqual({ taken: 1, total: 4 });
  });

  it("has no percentage where there is no error route, and asks for none", async () => {
    const { coverage, success } = await covered("{ ask: n }", { minErrorCoverage: 100 });
    expect([success, coverage?.error_routes_percent]).toEqual([true, null]);
  });
});

describe("generated scenarios", () => {
  it("take every error route and pass as written", async () => {
    ground.write({ "flow.yaml": FLOW });
    const { generated, skipped } = await generateScenarios(ground.session, { file: "flow.yaml", paths: [] });
    expect([generated.length, skipped]).toEqual([2, 0]);
    const answer = await testScenarios(ground.session, { paths: ["tests"], minErrorCoverage: 100 });
    expect(answer).toMatchObject({ success: true, failed: 0 });
  });

  it("answer with a status that the step accepts, and raise only what the step can", async () => {
    ground.write({
      "flow.yaml": `workflow: { name: f, entry_point: a, error_routes: [{ on_error: http.unavailable, to: late }] }
agents:
  - { name: a, type: script, command: x, raises: [a.a], routes: [{ to: b }] }
  - { name: b, type: http, url: "http://localhost/x", accept_status: [201, 404], routes: [{ to: c }] }
  - { name: c, type: script, command: y, raises: [c.c], routes: [{ to: $end }, { on_error: c.c, to: late }] }
  - { name: late, type: set, value: 1 }
`,
    });
    const { skipped } = await generateScenarios(ground.session, { file: "flow.yaml", paths: [] });
    expect(skipped).toBe(0);
    const written = readdirSync(join(ground.folder, "tests")).map((name) =>
      readFileSync(join(ground.folder, "tests", name), "utf8"),
    );
    expect(written.join()).toContain("status: 201");
    expect(written.join()).toMatch(/step: b\n +times: 1\n +error:\n +kind: http\.unavailable/);
    expect(written.join()).not.toMatch(/step: a\n +times: 1/);
  });

  it("say what stands in the way where no way was found", async () => {
    ground.write({
      "flow.yaml": `workflow: { name: f, entry_point: a }
agents:
  - { name: a, type: set, value: "{{ 1 }}", routes: [{ to: $end, when: "{{ a.output == 1 }}" }, { to: b }] }
  - { name: b, type: script, command: x, raises: [b.b], routes: [{ to: $end }, { on_error: b.b, to: $end }] }
`,
    });
    const { generated, skipped } = await generateScenarios(ground.session, { file: "flow.yaml", paths: [] });
    expect(skipped).toBe(1);
    expect(generated[0]?.skip).toMatch(/a goes to b only when/);
  });

  it("say of a default route what stands in the way of the steps that can take it", async () => {
    ground.write({
      "flow.yaml": `workflow: { name: f, entry_point: a, error_routes: [{ on_error: internal.command_not_found, to: late }] }
agents:
  - { name: a, type: set, value: "{{ 1 }}", routes: [{ to: c, when: "{{ a.output == 1 }}" }, { to: b }] }
  - { name: b, type: script, command: x, routes: [{ to: $end }] }
  - { name: c, type: http, url: "http://localhost/x" }
  - { name: late, type: set, value: 1 }
`,
    });
    const { generated } = await generateScenarios(ground.session, { file: "flow.yaml", paths: [] });
    expect(generated.map(({ skip }) => skip)).toEqual([expect.stringMatching(/^a goes to b only when/)]);
  });

  it("are not written again where one is there that a person has to finish", async () => {
    const flow = (name: string) => `workflow: { name: ${name}, entry_point: a }
agents:
  - { name: a, type: set, value: "{{ 1 }}", routes: [{ to: $end, when: "{{ a.output == 1 }}" }, { to: b }] }
  - { name: b, type: script, command: x, raises: [b.b], routes: [{ to: $end }, { on_error: b.b, to: $end }] }
`;
    const generate = async (file: string) => {
      const { generated, unfinished } = await generateScenarios(ground.session, { file, paths: ["tests"] });
      return [generated, unfinished].map((list) => list.map((one) => one.file));
    };
    ground.write({ "flow.yaml": flow("f"), "other.yaml": flow("g") });
    const [first, second] = ["tests/b-on-b-b-to-end.scenario.yaml", "tests/b-on-b-b-to-end-2.scenario.yaml"];
    expect(await generate("flow.yaml")).toEqual([[first], []]);
    // The route has moved, and is the same.
    ground.write({ "flow.yaml": `# A comment.\n${flow("f")}` });
    expect(await generate("flow.yaml")).toEqual([[], [first]]);
    expect(await generate("other.yaml")).toEqual([[second], []]);
    expect(readdirSync(join(ground.folder, "tests"))).toHaveLength(2);
  });
});

describe("a gate that reminds, on the virtual clock", () => {
  const WAITING = `
workflow: { name: waiting, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: go?
    timeout: 2h
    remind: 30m
    on_timeout: "no"
    options: [{ label: Y, value: "yes", route: quick }, { label: N, value: "no", route: $end }]
  - { name: quick, type: human_gate, prompt: sure?, options: [{ label: Y, value: "yes", route: $end }] }
`;
  const problems = async (gates: string, expected: string): Promise<readonly string[]> => {
    ground.write({
      "waiting.yaml": WAITING,
      "w.scenario.yaml": `workflow: waiting.yaml\ngates: ${gates}\nexpected_trace: { gates_reminded: ${expected} }\n`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: ["w.scenario.yaml"] });
    return scenarios[0]?.problems ?? ["there is no scenario"];
  };

  it.each([
    ["until its time is over", "{ ask: { nobody: true } }", "{ ask: 3 }"],
    ["until somebody answers", "{ ask: { value: yes, takes_seconds: 4000 }, quick: yes }", "{ ask: 2, quick: 0 }"],
    ["not at all when it is answered at once", "{ ask: yes, quick: yes }", "{ ask: 0 }"],
  ])("is held against how often it did: %s", async (_, gates, expected) => {
    expect(await problems(gates, expected)).toEqual([]);
  });

  it("says how often it was instead, and of a gate that was not asked that it was not", async () => {
    expect(await problems("{ ask: { nobody: true } }", "{ ask: 2, quick: 0 }")).toEqual([
      "gates_reminded.ask is 3, expected 2",
      "gates_reminded.quick is nothing, expected 0",
    ]);
    expect(await problems("{ ask: { nobody: true } }", "[ask]")).toEqual([
      'gates_reminded says how often each gate reminded, such as { ask: 2 }, and not ["ask"]',
    ]);
  });
});

it("a run that is stopped and goes on gets the answers after those it had", async () => {
  ground.write({
    "loop.yaml": `workflow: { name: loop, entry_point: poll, runtime: { provider: claude }, limits: { max_iterations: 30 } }
agents:
  - { name: poll, type: script, command: poll, routes: [{ to: think }, { on_error: true, retry: { max: 1, initial_seconds: 0.1 } }] }
  - { name: think, prompt: "{{ poll.output }}", routes: [{ to: ask }] }
  - { name: ask, type: human_gate, prompt: "{{ think.output }}", options: [{ value: more, route: poll }, { value: stop, route: $end }] }
output: { poll: "{{ poll.output.stdout }}", think: "{{ think.output.result }}" }
`,
    "loop.scenario.yaml": `workflow: loop.yaml
cli_scripts:
  - { step: poll, stdout: p1, times: 1 }
  - { step: poll, exit_code: 1, times: 1 }
  - { step: poll, stdout: p2, times: 1 }
  - { step: poll, stdout: p3, times: 1 }
agent_scripts: { think: [{ content: t1 }, { content: t2 }, { content: t3 }] }
gates: { ask: [{ value: more }, { value: more }, { value: stop }] }
`,
  });
  const stop = new AbortController();
  let thought = 0;
  const first = await ground.run("loop.yaml", {
    scenario: "loop.scenario.yaml",
    signal: stop.signal,
    on: ({ type, data }) => {
      if (type === "agent_completed" && data.agent_name === "think" && ++thought === 2) stop.abort(new Error("enough"));
    },
  });
  expect(first.result.status).toBe("cancelled");
  const { result } = await ground.resume(first.result.run_id ?? "");
  expect(result).toMatchObject({ error: null, status: "completed", output: { poll: "p3", think: "t3" } });
});
