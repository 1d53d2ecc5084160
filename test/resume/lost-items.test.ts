// `resume --failed-items`: what groups of a degraded run went on without runs again, and only what reads it with it.
import { expect, test } from "vitest";
import { answerGate } from "../../src/services/gates/gates.ts";
import { script, Workshop } from "./workshop.ts";

const again = { failedItems: true };

const each = (step: string): string => `
workflow: { name: w, entry_point: each, input: { xs: { type: array, default: [1, 2, 3] } } }
agents:
  - ${script("reads", "routes: [{ to: apart }]", { mark: "reads {{ each.errors | length }}" })}
  - ${script("apart", "routes: [{ to: $end }]")}
for_each:
  - name: each
    type: for_each
    source: workflow.input.xs
    as: x
    max_concurrent: 1
    failure_mode: continue_on_error
    agent: ${step}
    routes: [{ to: reads }]
output: { lost: "{{ each.errors | length }}" }
`;

const item = `{ name: w, type: script, command: sh, args: [-c, "echo {{ x }} >> marks; test {{ x }} != 2 || test -e go"], raises: [app.no] }`;

test("the lost items run again, with what reads the group, and nothing else", async () => {
  const shop = new Workshop({ "main.yaml": each(item) });
  const { result } = await shop.run("main.yaml");
  expect(result).toMatchObject({ status: "degraded", output: { lost: 1 } });
  expect(shop.marks()).toEqual(["1", "2", "3", "reads 1", "apart"]);

  // As long as the cause is there, the items are lost again.
  expect((await shop.resume(result.run_id!, again)).result).toMatchObject({ status: "degraded" });
  expect(shop.marks()).toEqual(["2"]);

  shop.write({ go: "" });
  expect((await shop.resume(result.run_id!, again)).result).toMatchObject({ status: "completed", output: { lost: 0 } });
  expect(shop.marks()).toEqual(["2", "reads 0"]);
  const nothing = (await shop.resume(result.run_id!, again)).result;
  expect(nothing).toMatchObject({ exit_code: 2, error: expect.stringMatching(/lost no items; it is completed/) });
});

test("a plain resume of a degraded run says how to get back what it lost", async () => {
  const shop = new Workshop({ "main.yaml": each(item) });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  const refused = (await shop.resume(undefined)).result;
  expect(refused.error).toContain("is degraded");
  const how = `To run again what it went on without: segno resume ${run} --failed-items`;
  expect(refused.errors).toMatchObject([{ hint: how }]);
  const said: string[] = [];
  await shop.resume(run, { isDone: (sentence) => said.push(sentence) });
  expect(said).toEqual([expect.stringContaining(how)]);
});

test("without an id it is the newest run that lost items, not one that failed after it", async () => {
  const shop = new Workshop({
    "main.yaml": each(item),
    "other.yaml": `workflow: { name: o, entry_point: a }\nagents:\n  - ${script("a", "", { mayFail: true })}\n`,
  });
  const run = (await shop.run("main.yaml")).result.run_id;
  expect((await shop.run("other.yaml")).result.status).toBe("failed");
  shop.write({ go: "" });
  expect((await shop.resume(undefined, again)).result).toMatchObject({ run_id: run, status: "completed" });
});

test("an item that is a sub-workflow goes on inside, where it failed", async () => {
  const shop = new Workshop({
    "main.yaml": each(`{ name: call, type: workflow, workflow: child.yaml, input_mapping: { x: "{{ x }}" } }`),
    "child.yaml": `
workflow: { name: c, entry_point: first, input: { x: { type: number } } }
agents:
  - ${script("first", "routes: [{ to: second }]", { mark: "first {{ workflow.input.x }}" })}
  - { name: second, type: script, command: sh, args: [-c, "echo second {{ workflow.input.x }} >> marks; test {{ workflow.input.x }} != 2 || test -e go"], raises: [app.no] }
`,
  });
  const { result } = await shop.run("main.yaml");
  expect(result.status).toBe("degraded");
  shop.marks();
  shop.write({ go: "" });
  expect((await shop.resume(result.run_id!, again)).result).toMatchObject({ status: "completed", output: { lost: 0 } });
  expect(shop.marks()).toEqual(["second 2", "reads 0"]);
});

test("a member of a parallel group that was lost runs again", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: both }
agents:
  - ${script("one", "")}
  - ${script("two", "", { mayFail: true })}
parallel:
  - { name: both, agents: [one, two], failure_mode: continue_on_error, routes: [{ to: $end }] }
`,
  });
  const { result } = await shop.run("main.yaml");
  expect(result.status).toBe("degraded");
  expect(shop.marks().sort()).toEqual(["one", "two"]);
  shop.write({ "ok-two": "" });
  expect((await shop.resume(result.run_id!, again)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["two"]);
});

test("it is refused together with --from and --force, which mean other steps", async () => {
  const shop = new Workshop({ "main.yaml": each(item) });
  const { result } = await shop.run("main.yaml");
  for (const more of [{ force: true }, { from: "each" }])
    expect((await shop.resume(result.run_id!, { ...again, ...more })).result).toMatchObject({
      exit_code: 2,
      error: expect.stringMatching(/--failed-items runs only the items that were lost/),
    });
});

test.each(["off", "1"])(
  "a warning counts how often it happened, not how often it was reused; keyframes: %s",
  async (SEGNO_KEYFRAMES) => {
    const bad = (name: string, kind: string) =>
      `name: ${name}, type: script, command: sh, args: [-c, "echo ${name} >> marks; test {{ x }} != 2"], raise_when: [{ kind: ${kind}, when: exit_code == 1, message: no }]`;
    const shop = new Workshop({
      "main.yaml": `
workflow: { name: w, entry_point: lost, limits: { max_iterations: 99 } }
agents:
  - { name: ask, type: human_gate, prompt: more?, options: [{ label: Yes, value: yes, route: lost }, { label: Go, value: go, route: then }] }
  - { name: then, type: human_gate, prompt: end?, options: [{ label: Yes, value: yes, route: $end }] }
  - { name: helps, type: set, value: 1 }
for_each:
  - name: lost
    type: for_each
    source: "{{ [1, 2] }}"
    as: x
    failure_mode: continue_on_error
    agent: { ${bad("a", "app.lost")} }
    routes: [{ to: mended }]
  - name: mended
    type: for_each
    source: "{{ [1, 2] }}"
    as: x
    agent: { ${bad("b", "app.mended")}, routes: [{ on_error: true, to: helps }] }
    routes: [{ to: ask }]
`,
    });
    Object.assign(shop.session.env, { SEGNO_KEYFRAMES });
    const { result } = await shop.run("main.yaml");
    const run = result.run_id ?? "";
    const answers = async (value: string) => {
      const { warnings } = await answerGate(shop.session, { run, value, inputs: {} });
      return warnings.map(({ kind, count = 1 }) => [kind, count]);
    };
    const times = (count: number) => [
      ["app.lost", count],
      ["app.mended", count],
    ];
    expect(await answers("yes")).toEqual(times(2));
    expect(shop.marks()).toHaveLength(8);
    expect(await answers("go")).toEqual(times(2));
    expect(await answers("yes")).toEqual(times(2));
    expect(shop.marks()).toEqual([]);
  },
);

test("what a sub-workflow that waits remarks on is said once, however often it is entered again", async () => {
  const gate = (name: string, route: string): string =>
    `{ name: ${name}, type: human_gate, prompt: go?, options: [{ label: Yes, value: yes, route: ${route} }] }`;
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: first }
agents:
  - { name: first, type: set, value: 1, routes: [{ to: call }] }
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end }] }
`,
    "child.yaml": `
workflow: { name: c, entry_point: each }
agents: [${gate("one", "two")}, ${gate("two", "$end")}]
for_each:
  - { name: each, type: for_each, source: "{{ [] }}", as: x, agent: { name: a, type: set, value: 1 }, routes: [{ to: one }] }
`,
  });
  Object.assign(shop.session.env, { SEGNO_KEYFRAMES: "1" });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  for (const status of ["paused", "completed"]) {
    const { warnings, ...result } = await answerGate(shop.session, { run, value: "yes", inputs: {} });
    expect(result).toMatchObject({ status });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).not.toHaveProperty("count");
  }
});
