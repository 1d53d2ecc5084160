import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Playground } from "../../../test/support/play.ts";
import type { JsonSchema } from "../../base/errors/mapping.ts";
import type { LoadWorld } from "../../language/loaded.ts";
import { STEP_TYPES } from "../../steps/types.ts";
import { loadForDoctor } from "../doctor/checks.ts";
import { extensionsFrom } from "../session/extensions.ts";
import { realFiles } from "../session/files.ts";
import { listErrors } from "./describe.ts";
import { validWorkflow } from "./valid-workflow.ts";
import { validateFiles } from "./validate.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

it("lists what is wrong in a called file once, though it is given by itself too", () => {
  ground.write({
    "main.yaml":
      "workflow: { name: m, entry_point: a }\nagents:\n  - { name: a, type: workflow, workflow: ./child.yaml }\n",
    "child.yaml":
      "workflow: { name: c, entry_point: a }\nagents:\n  - { name: a, type: script, comand: x, command: y }\n",
  });
  const { errors } = validateFiles(ground.session, { files: ["main.yaml", "child.yaml"] });
  expect(errors.map(({ rule, location }) => [rule, location?.file])).toEqual([["unknown-key", "child.yaml"]]);
});

it("says how a list is written for the command line", async () => {
  ground.write({
    "w.yaml":
      "workflow: { name: w, entry_point: a, input: { regions: { type: array } } }\nagents:\n  - { name: a, type: set, value: x }\n",
  });
  const { result } = await ground.run("w.yaml", { inputs: { regions: { text: "r1,r2" } } });
  expect(result.errors[0]?.hint).toBe('Give it with JSON, such as -i regions=\'["a", "b"]\'.');
});

it.each([
  ["boolean", "true", "Give it with -i it=true."],
  ["boolean", "yes", "Give it with -i it=true."],
  ["number", "5", "Give it with -i it=5."],
  ["number", "abc", "Give it with -i it=1."],
  [
    "number",
    "12345678901234567890",
    "It has more digits than a number holds: declare the input as a string to keep them.",
  ],
  ["string", 5, "Put it in quotes"],
] as const)("says how a %s is given where %j was", async (type, value, hint) => {
  ground.write({
    "w.yaml": `workflow: { name: w, entry_point: a, input: { it: { type: ${type} } } }\nagents:\n  - { name: a, type: set, value: x }\n`,
  });
  const { result } = await ground.run("w.yaml", { inputs: { it: { value } } });
  expect(result.errors[0]?.hint).toContain(hint);
});

it("says where a text begins that nothing closes", () => {
  ground.write({ "w.yaml": 'workflow:\n  name: w\n  description: "open\n  entry_point: a\n' });
  expect(validateFiles(ground.session, { files: ["w.yaml"] }).errors).toMatchObject([
    { rule: "yaml-syntax", location: { line: 3, column: 16 }, message: expect.stringContaining("not closed") },
  ]);
});

it("knows the people of the project above the file, wherever the command stands", () => {
  const flow = (approver: string) =>
    `workflow: { name: g, entry_point: ask }\nagents:\n  - { name: ask, type: human_gate, prompt: Ship?, approvers: [${approver}], options: [{ value: "yes", route: $end }] }\n`;
  ground.write({
    "gp/segno.yaml": "people: { alex: { user: alex@build-1 } }\n",
    "gp/gp.yaml": flow("alex"),
    "gp/other.yaml": flow("kim"),
    "outside.yaml": flow("alex"),
  });
  const { session } = ground;
  const here = { people: { kim: {} }, groups: {}, project: join(session.cwd, "elsewhere/segno.yaml") };
  for (const where of [session, { ...session, project: { people: here } }]) {
    expect(validateFiles(where, { files: ["gp/gp.yaml"] }).errors).toEqual([]);
    expect(loadForDoctor("gp/gp.yaml", where).check.ok).toBe(true);
    expect(listErrors(where, { file: "gp/gp.yaml" })).toMatchObject({ success: true });
    for (const file of ["gp/other.yaml", "outside.yaml"])
      expect(validateFiles(where, { files: [file] }).errors).toMatchObject([{ rule: "unknown-approver" }]);
  }
});

it("checks a file again only when something that it depends on is another", async () => {
  ground.write({
    "main.yaml": `workflow: { name: m, entry_point: a, input: { g: { type: string, default: "\${GREETING:-hi}" } } }
agents:
  - { name: a, type: agent, prompt: !file prompt.md, skills: [brief], routes: [{ to: c }] }
  - { name: c, type: workflow, workflow: ./child.yaml }
`,
    "prompt.md": "Say it.",
    "skills/brief/SKILL.md": "---\nname: brief\ndescription: short\n---\nShort.\n",
    "child.yaml": "workflow: { name: c, entry_point: x }\nagents:\n  - { name: x, type: tick, n: 1 }\n",
  });
  const tick = (version: number) => ({
    type: "tick",
    description: "",
    version,
    schema: { type: "object", properties: { n: { type: "integer" } } },
    execute: () => ({ ok: true as const, output: 1 }),
  });
  let steps = tick(1);
  const types = async () => (await extensionsFrom({ steps: [steps] })).stepTypes;
  let people: string[] = [];
  const checked = async () =>
    validWorkflow(
      "main.yaml",
      { ...ground.session, extensions: { stepTypes: await types() } },
      { people: { people, groups: [] } },
    );
  let before = await checked();
  expect(await checked()).toBe(before);
  const changes: (() => void)[] = [
    () => ground.write({ "prompt.md": "Say it again." }),
    () => ground.write({ "skills/brief/SKILL.md": "---\nname: brief\ndescription: shorter\n---\nShort.\n" }),
    () => ground.write({ "child.yaml": `${ground.read("child.yaml")}# the same\n` }),
    () => Object.assign(ground.session.env, { GREETING: "hello" }),
    () => {
      steps = tick(2);
    },
    () => {
      people = ["alex"];
    },
  ];
  for (const change of changes) {
    change();
    const after = await checked();
    expect(after).not.toBe(before);
    expect(await checked()).toBe(after);
    before = after;
  }
  expect(before.definition.workflow.input).toMatchObject({ g: { default: "hello" } });
  ground.write({ "child.yaml": "workflow: { name: c, entry_point: x }\nagents:\n  - { name: y, type: tick, n: 1 }\n" });
  await expect(checked()).rejects.toThrow("no step or group `x`");
});

it("knows a file again for the next run of a worker, and its own steps by what they say", async () => {
  ground.write({ "w.yaml": "workflow: { name: w, entry_point: a }\nagents:\n  - { name: a, type: tick, n: 1 }\n" });
  const properties: Record<string, JsonSchema> = { n: { type: "integer" } };
  const own = {
    type: "tick",
    description: "",
    version: 1,
    schema: { type: "object", properties },
    execute: () => ({ ok: true as const, output: 1 }),
  };
  const checked = async (others = {}) => {
    const { stepTypes } = await extensionsFrom({ steps: [{ ...own }] });
    return validWorkflow("w.yaml", { ...ground.session, extensions: { stepTypes: { ...stepTypes, ...others } } });
  };
  // A worker has a `wait` of its own for each run that it drives; who places the runs has not.
  const onWorker = () => checked({ wait: { ...STEP_TYPES.wait } });
  const [first, second] = [await onWorker(), await checked()];
  expect(await onWorker()).toBe(first);
  expect(await checked()).toBe(second);
  properties.n = { type: "boolean" };
  await expect(checked()).rejects.toThrow("must be true or false");
});

it("checks a file again where commands are looked for, after it was checked where none are", () => {
  ground.write({
    "w.yaml": "workflow: { name: w, entry_point: a }\nagents:\n  - { name: a, type: script, command: bash }\n",
  });
  const { lacks: _, ...pinned } = realFiles({});
  const warnings: unknown[] = [];
  const check = (files: LoadWorld) =>
    validWorkflow("w.yaml", ground.session, {}, files, (entries) => warnings.push(...entries));
  check(pinned);
  check({ ...pinned, lacks: () => true });
  expect(warnings).toContainEqual(expect.objectContaining({ rule: "shell-not-here" }));
  expect(check({ ...pinned, lacks: () => false })).toBe(check(pinned));
});
