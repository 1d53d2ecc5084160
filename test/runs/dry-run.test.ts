// `run --dry-run --scenario`, and what a run says of its file before it starts.
import { expect, onTestFinished, test } from "vitest";
import type { Entry } from "../../src/base/results/index.ts";
import { planRun } from "../../src/services/drive/dry-run.ts";
import { commandLine } from "../support/command-line.ts";
import { Playground } from "../support/play.ts";

function groundWith(files: Record<string, string>): Playground {
  const ground = new Playground();
  onTestFinished(() => ground.close());
  ground.write(files);
  return ground;
}

test("the plan is made with the scenario's inputs and environment; what the command line gives counts more", async () => {
  const ground = groundWith({
    "main.yaml": `workflow: { name: w, entry_point: a, input: { who: { type: string }, what: { type: string } } }
agents:
  - { name: a, type: script, command: echo, args: ["{{ workflow.input.who }}", "{{ workflow.input.what }}", "\${TOOL}"] }
`,
    "s.yaml": "workflow: main.yaml\ninputs: { who: ann, what: cake }\nenv: { TOOL: spoon }\n",
  });
  const request = { ...ground.session, file: "main.yaml", scenario: "s.yaml", inputs: { what: { text: "pie" } } };
  const { plan, exit_code } = await planRun(request, request);
  expect(exit_code).toBe(0);
  expect(plan).toMatchObject([{ node_id: "a", fields: { args: ["ann", "pie", "spoon"] } }]);
});

test("a run tells its file's warnings once, before anything runs", async () => {
  const ground = groundWith({
    "main.yaml": `workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: set, value: 1 }
  - { name: b, type: set, value: 2 }
`,
  });
  const heard: string[] = [];
  const warned = (warnings: readonly Entry[]) => heard.push(...warnings.map(({ rule }) => rule ?? ""));
  const { result } = await ground.run("main.yaml", { warned, on: ({ type }) => heard.push(type) });
  expect(result.status).toBe("completed");
  expect(heard.slice(0, 2)).toEqual(["unreachable-step", "workflow_started"]);
  expect(heard.filter((word) => word === "unreachable-step")).toHaveLength(1);
});

const CHILD = `workflow:
  name: child
  entry_point: greet
  input: { name: { type: string }, tone: { type: string, default: warm }, key: { type: string, required: false, secret: true } }
  policies: [{ max_concurrent_tasks: 2 }]
agents:
  - { name: greet, type: set, value: "{{ workflow.input.name }} {{ workflow.input.tone }}", routes: [{ to: more }] }
  - { name: more, type: set, value: "{{ greet.output.result }}" }
`;

test("the plan lists what sub-workflows would run, each with the inputs that are known; the same call once", async () => {
  const ground = groundWith({
    "main.yaml": `workflow: { name: w, entry_point: first, policies: [{ budget: { usd: 1 } }] }
agents:
  - { name: first, type: workflow, workflow: child.yaml, input_mapping: { name: kim, key: pineapple }, routes: [{ to: again }] }
  - { name: again, type: workflow, workflow: child.yaml, input_mapping: { key: pineapple, name: kim }, routes: [{ to: each }] }
for_each:
  - name: each
    type: for_each
    source: again.output.list
    as: one
    agent: { name: call, type: workflow, workflow: child.yaml, input_mapping: { name: "{{ one }}" } }
`,
    "child.yaml": CHILD,
  });
  const { plan = [] } = await planRun(ground.session, { file: "main.yaml", inputs: {} });
  const policies = ["budget", "max_concurrent_tasks"];
  expect(plan).toMatchObject([
    {
      node_id: "first",
      policies: ["budget"],
      steps: [
        { node_id: "greet", fields: { value: "kim warm" }, routes: ["→ more"], policies },
        { node_id: "more", fields: { value: "{{ greet.output.result }}" } },
      ],
    },
    { node_id: "again", steps_under: "first" },
    {
      node_id: "each",
      policies: ["budget"],
      members: [
        {
          node_id: "call",
          policies: ["budget"],
          steps: [{ fields: { value: expect.stringContaining("workflow.input.name") } }, {}],
        },
      ],
    },
  ]);
  expect(JSON.stringify(plan)).not.toContain("pineapple");
});

test("the plan of a file that calls itself comes to an end", async () => {
  const ground = groundWith({
    "main.yaml": `workflow: { name: w, entry_point: a, input: { n: { type: number, default: 3 } } }
agents:
  - { name: a, type: workflow, workflow: main.yaml, input_mapping: { n: "{{ workflow.input.n - 1 }}" }, max_depth: 3 }
`,
  });
  const { plan } = await planRun(ground.session, { file: "main.yaml", inputs: {} });
  expect(plan).toEqual([expect.objectContaining({ node_id: "a", steps_under: "" })]);
});

test("at a terminal the plan says each fact once: policies below all steps, and where an answer leads", async () => {
  const ground = groundWith({
    "main.yaml": `workflow: { name: w, entry_point: ask, policies: [{ budget: { usd: 1 } }] }
agents:
  - { name: ask, type: human_gate, prompt: Go?, options: [{ value: "yes", label: Go on, route: a }, { value: "no", label: Stop, route: $end }] }
  - { name: a, type: workflow, workflow: child.yaml, input_mapping: { name: kim } }
`,
    "child.yaml": CHILD,
  });
  const { cwd, env, home } = ground.session;
  const { code, stdout } = await commandLine(["run", "main.yaml", "--dry-run", "--home", home], { cwd, env });
  expect({ code, lines: stdout.trimEnd().split("\n") }).toEqual({
    code: 0,
    lines: [
      "ask  human_gate",
      "    prompt: Go?",
      "    answer yes: → a",
      "    answer no: → $end",
      "a  workflow",
      "    workflow: child.yaml",
      '    input_mapping: {"name":"kim"}',
      "    greet  set",
      "        value: kim warm",
      "        → more",
      "    more  set",
      "        value: {{ greet.output.result }}",
      "    policies asked before each step: max_concurrent_tasks",
      "policies asked before each step: budget",
    ],
  });
});
