import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Playground } from "../../../test/support/play.ts";
import { COMMAND_LINE } from "../../base/results/index.ts";
import { testScenarios } from "./test.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

const FLOW = `workflow: { name: flow, entry_point: each, limits: { max_iterations: 30 }, policies: [{ module: ./guard.mjs }, { task_timeout: 60 }] }
agents:
  - name: deploy
    type: script
    command: deploy
    timeout: 50
    routes: [{ to: $end }, { on_error: policy.denied, when: "error.details.reason == 'frozen'", to: later }, { on_error: policy.denied, retry: { max: 3, initial_seconds: 1 } }]
  - { name: later, type: set, value: "{{ error.details.policy }}" }
for_each:
  - { name: each, type: for_each, source: "{{ [1, 2] }}", as: n, failure_mode: continue_on_error, agent: { name: work, type: set, value: "{{ n }}" }, routes: [{ to: deploy }, { on_error: policy.denied, to: later }] }
output: { later: "{{ later is defined }}", deployed: "{{ deploy is defined and deploy.error is not defined }}" }
`;
/** Says that it was loaded, and denies everything. */
const GUARD = `import { writeFileSync } from "node:fs";
writeFileSync(new URL("./LOADED", import.meta.url), "");
export default { name: "guard", description: "", evaluate: () => ({ allowed: false, policyName: "guard", reason: "frozen" }) };
`;
const SCRIPTED = "cli_scripts: [{ step: deploy, stdout: ok }]\n";

async function tested(scenario: string, more: Readonly<Record<string, string>> = {}) {
  ground.write({
    "flow.yaml": FLOW,
    "guard.mjs": GUARD,
    "one.scenario.yaml": `workflow: flow.yaml\n${scenario}`,
    ...more,
  });
  const { scenarios, coverage } = await testScenarios(ground.session, { paths: ["one.scenario.yaml"], coverage: true });
  return {
    problems: scenarios[0]?.problems,
    isLoaded: existsSync(join(ground.folder, "LOADED")),
    denials: coverage?.files[0]?.denials,
  };
}

it.each([
  ["allows where nothing is said", "", "{ later: false, deployed: true }", 0],
  ["denies a step", "policies: { deploy: { allowed: false, reason: frozen } }", "{ later: true, deployed: false }", 1],
  ["denies a group", "policies: { each: { allowed: false, policy: guard } }", "{ later: true, deployed: false }", 1],
  ["denies an item", 'policies: { "each[1]": { allowed: false } }', "{ later: false, deployed: true }", 1],
  [
    "denies one attempt after the other",
    "policies: { deploy: [{ allowed: false, reason: busy }, { allowed: false, reason: busy }] }",
    "{ later: false, deployed: true }",
    1,
  ],
  [
    "answers for Segno's own policies as well",
    "set: { deploy.timeout: 90 }\npolicies: { deploy: { allowed: true } }",
    "{ later: false, deployed: true }",
    0,
  ],
])("a scenario %s, and loads no module", async (_, scenario, output, denied) => {
  expect(await tested(`${SCRIPTED}${scenario}\nexpected_trace: { output: ${output} }\n`)).toEqual({
    problems: [],
    isLoaded: false,
    denials: { total: 4, taken: denied },
  });
});

it("Segno's own policies judge where nothing is said", async () => {
  const judged = await tested(`${SCRIPTED}set: { deploy.timeout: 90 }\nexpected_trace: { status: completed }\n`);
  expect(judged.problems?.join()).toMatch(/policy\.denied|task_timeout/);
});

it("a step that is live is guarded by the policies themselves", async () => {
  const { problems, isLoaded } = await tested(
    "live: [deploy]\nexpected_trace: { output: { later: true, deployed: false } }\n",
  );
  expect({ problems, isLoaded }).toEqual({ problems: [], isLoaded: true });
});

it("only the command line runs what a scenario lets run for real, and others are told how", async () => {
  ground.write({
    "flow.yaml": FLOW.replace("command: deploy", "command: touch\n    args: [RAN]"),
    "guard.mjs": GUARD.replace("allowed: false", "allowed: true"),
    "a.scenario.yaml": "workflow: flow.yaml\nlive: [deploy]\n",
    "b.scenario.yaml": "extends: a.scenario.yaml\n",
    "c.scenario.yaml": "workflow: flow.yaml\nlive_agents: true\n",
  });
  const reader = { ...COMMAND_LINE, playsLiveSteps: false };
  const { scenarios } = await testScenarios({ ...ground.session, reader }, { paths: [] });
  const problems = scenarios.flatMap((one) => one.problems);
  expect(problems).toHaveLength(3);
  for (const problem of problems) expect(problem).toMatch(/run for real, which only the command line does.*segno test/);
  const { result } = await ground.run("flow.yaml", { reader, scenario: "a.scenario.yaml" });
  expect(result).toMatchObject({ exit_code: 2, error: expect.stringContaining("only the command line") });
  expect(existsSync(join(ground.folder, "RAN"))).toBe(false);
});

it("says where a verdict has a place that is not there", async () => {
  const { problems } = await tested(`${SCRIPTED}policies: { deplpy: { allowed: false } }\n`);
  expect(problems?.join()).toContain("policies names deplpy, and no step has that name; did you mean deploy?");
  const unasked = await tested(`${SCRIPTED}policies: { deploy: { allowed: false } }\n`, {
    "flow.yaml": FLOW.replace(/, policies: .*}]/, ""),
  });
  expect(unasked.problems?.join()).toContain("policies has a verdict on deploy, and no policy is asked");
});
