// `segno triggers fire`: what a template reads and nobody gave is said in a sentence, and nothing is run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { answerGate } from "../../services/gates/gates.ts";
import { readProject } from "../../services/project/read-project.ts";
import { trust } from "../../services/project/trust.ts";
import { runWorkflow } from "../../services/runs/run.ts";
import { personHere } from "../../services/session/people.ts";
import { fireTrigger } from "./fire-by-hand.ts";
import { triggerHistory } from "./index.ts";

const FLOW = `
workflow: { name: flow, entry_point: note, input: { what: { type: string, default: "" } } }
agents: [{ name: note, type: set, value: "{{ workflow.input.what }}" }]
output: { what: "{{ note.output }}" }
`;
const SHIP = `
workflow: { name: ship, entry_point: approve }
agents:
  - name: approve
    type: human_gate
    prompt: Ship it?
    four_eyes: true
    options: [{ value: "yes", route: $end }]
`;
const TRIGGERS = `people: { kim: { user: "${personHere()}" }, sam: {} }
triggers:
  - { name: hook, workflow: flow.yaml, webhook: { path: /hooks/x, secret: s, verify: token }, inputs: { what: "{{ trigger.body.ref }}" } }
  - { name: ship, workflow: ship.yaml, schedule: "0 3 * * *" }
  - { name: after, workflow: flow.yaml, on_run: { workflow: other }, inputs: { what: "{{ trigger.run.run_id }}" } }
`;

function fireByHand() {
  const base = mkdtempSync(join(tmpdir(), "segno-fire-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  mkdirSync(cwd);
  writeFileSync(join(cwd, "flow.yaml"), FLOW);
  writeFileSync(join(cwd, "ship.yaml"), SHIP);
  writeFileSync(join(cwd, "segno.yaml"), TRIGGERS);
  const { project } = readProject(join(cwd, "segno.yaml"), {});
  if (!project) throw new Error("the project is not valid");
  const session = { cwd, env: { SEGNO_HOME: home } };
  trust(project, session);
  const fire = (name: string, body?: unknown, run?: string) =>
    fireTrigger(session, { name, now: Date.now(), body, ...(run === undefined ? {} : { run }) });
  return Object.assign(fire, { session });
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

test("a number that would become another text is refused, also where how it was written is not known", async () => {
  const fire = fireByHand();
  const hint = expect.stringContaining("JSON and YAML read 1.10 as 1.1.");
  expect(await fire("hook", { ref: 1.1 })).toMatchObject({ exit_code: 2, errors: [{ hint }] });
  expect(await fire("hook", { ref: 42 })).toMatchObject({ status: "completed", output: { what: "42" } });
});

test("one that reads the run before it is given one that has ended, and its firing is recorded for that run", async () => {
  const fire = fireByHand();
  const { exit_code, errors } = await fire("after");
  expect(exit_code).toBe(2);
  expect(errors[0]?.hint).toBe("It reads the run that ended: --run RUN names one, of other for instance.");
  const before = await runWorkflow(fire.session, { file: "flow.yaml", inputs: { what: { value: "first" } } });
  const id = before.run_id ?? "";
  expect(await fire("after", undefined, id.slice(0, 20))).toMatchObject({ status: "completed", output: { what: id } });
  const { firings } = await triggerHistory(fire.session, { limit: 5 });
  expect(firings).toMatchObject([{ trigger: "after", status: "ended", cause: { by: "hand", run: { run_id: id } } }]);
});

test("a run that is not there, that has not ended, or that no trigger like it follows is refused", async () => {
  const fire = fireByHand();
  writeFileSync(
    join(fire.session.cwd, "ask.yaml"),
    "workflow: { name: ask, entry_point: a }\nagents: [{ name: a, type: human_gate, prompt: Well?, options: [{ value: y, label: Y, route: $end }] }]\n",
  );
  const waiting = await runWorkflow(fire.session, { file: "ask.yaml", inputs: {} });
  const why = async (name: string, run: string) => (await fire(name, { ref: "x" }, run)).error;
  expect(await why("after", "01NOSUCH")).toContain("there is no run 01NOSUCH");
  expect(await why("after", waiting.run_id ?? "")).toContain("has not ended (paused)");
  expect(await why("hook", waiting.run_id ?? "")).toContain("the trigger hook follows no run");
});

test("whoever fires by hand is recorded, and is not the other pair of eyes of the run", async () => {
  const fire = fireByHand();
  const { status, run_id } = await fire("ship");
  expect(status).toBe("paused");
  const { firings } = await triggerHistory(fire.session, { limit: 1 });
  expect(firings).toMatchObject([{ trigger: "ship", cause: { by: "hand", person: "kim" } }]);
  const answer = { ...fire.session, run: run_id ?? "", value: "yes", inputs: {} };
  expect(await answerGate(answer, answer)).toMatchObject({
    exit_code: 2,
    error: expect.stringContaining("kim started the run: another person has to answer (four_eyes)"),
  });
  expect(await answerGate({ ...answer, person: "sam" }, answer)).toMatchObject({ status: "completed" });
});
