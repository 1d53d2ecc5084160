// `segno triggers fire`: what a template reads and nobody gave is said in a sentence, and nothing is run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readProject } from "../project/read-project.ts";
import { trust } from "../project/trust.ts";
import { fireTrigger } from "./index.ts";

const FLOW = `
workflow: { name: flow, entry_point: note, input: { what: { type: string, default: "" } } }
agents: [{ name: note, type: set, value: "{{ workflow.input.what }}" }]
output: { what: "{{ note.output }}" }
`;
const TRIGGERS = `triggers:
  - { name: hook, workflow: flow.yaml, webhook: { path: /hooks/x, secret: s, verify: token }, inputs: { what: "{{ trigger.body.ref }}" } }
  - { name: after, workflow: flow.yaml, on_run: { workflow: other }, inputs: { what: "{{ trigger.run.run_id }}" } }
`;

function fireByHand() {
  const base = mkdtempSync(join(tmpdir(), "segno-fire-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  mkdirSync(cwd);
  writeFileSync(join(cwd, "flow.yaml"), FLOW);
  writeFileSync(join(cwd, "segno.yaml"), TRIGGERS);
  const { project } = readProject(join(cwd, "segno.yaml"), {});
  if (!project) throw new Error("the project is not valid");
  const surroundings = { cwd, env: { SEGNO_HOME: home } };
  trust(project, surroundings);
  return (name: string, body?: unknown) => fireTrigger({ ...surroundings, name, now: Date.now(), body });
}

test("a webhook that is fired without the body that it reads names the template and the option", async () => {
  const fire = fireByHand();
  const { exit_code, errors } = await fire("hook");
  expect(exit_code).toBe(2);
  expect(errors).toMatchObject([
    {
      message: expect.stringContaining("`inputs.what`, `{{ trigger.body.ref }}`, could not be read"),
      hint: expect.stringContaining("--body FILE"),
    },
  ]);
  expect(await fire("hook", { ref: "main" })).toMatchObject({ status: "completed", output: { what: "main" } });
});

test("one that reads the run before it cannot be fired by hand, and says so", async () => {
  const { exit_code, errors } = await fireByHand()("after");
  expect(exit_code).toBe(2);
  expect(errors[0]?.hint).toContain("by hand there is none");
});
