// `run --dry-run --scenario`, and what a run says of its file before it starts.
import { expect, onTestFinished, test } from "vitest";
import type { Entry } from "../../src/results/index.ts";
import { planRun } from "../../src/services/dry-run.ts";
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
  const request = { ...ground.surroundings, file: "main.yaml", scenario: "s.yaml", inputs: { what: { text: "pie" } } };
  const { plan, exit_code } = await planRun(request);
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
