// Routes are edited between two drives: the resume comes to what a new run of the edited file comes to.
import { describe, expect, it } from "vitest";
import { raises } from "../support/engine/scripted-world.ts";
import { byAttempt, Edited, OUTPUT } from "./edited.ts";

const busy = raises("net.busy");
const gone = raises("net.gone");

describe("a retry that was decided on before the edit", () => {
  const RETRY = ", { on_error: net.busy, retry: { max: 3 } }";
  const FILE = `
workflow: { name: case, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: last }${RETRY}] }
  - { name: last, type: script, command: last, args: ["{{ context.iteration }}"], routes: [{ to: $end }] }
${OUTPUT}
`;

  it("is not made when its route is gone", async () => {
    const edited = new Edited(FILE, byAttempt({ work: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    expect(await edited.endsAsNew([RETRY, ""])).toEqual([]);
  });

  it("is not made when another route takes the error now", async () => {
    const edited = new Edited(FILE, byAttempt({ work: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    expect(await edited.endsAsNew([RETRY, ", { on_error: true, to: last }"])).toEqual(["last#1"]);
  });

  it("is not made when it would be one too many now", async () => {
    const edited = new Edited(FILE, byAttempt({ work: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled", 2);
    expect(await edited.endsAsNew(["max: 3", "max: 1"])).toEqual([]);
  });

  it("counts for the route that takes the error now", async () => {
    const edited = new Edited(FILE, byAttempt({ work: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    const other = `, { on_error: net.busy, when: "{{ error.attempts > 5 }}", retry: { max: 1 } }, { on_error: net.busy, retry: { max: 1 } }`;
    expect(await edited.endsAsNew([RETRY, other])).toEqual(["work#1"]);
  });

  it("is not counted when it was not made, and comes back with its route", async () => {
    const edited = new Edited(FILE, byAttempt({ work: [busy], last: [gone] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    await edited.endsAsNew([RETRY, ", { on_error: true, to: last }"]);
    await edited.endsAsNew(["{ on_error: true, to: last }", "{ on_error: net.busy, retry: { max: 1 } }"]);
  });

  it("is not waited for any more", async () => {
    const edited = new Edited(FILE, byAttempt({ work: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    const before = edited.run.clock.now();
    await edited.endsAsNew([RETRY, ""]);
    expect(edited.run.clock.now()).toBe(before);
  });

  it("of a group is not made, also when the group had begun again", async () => {
    const route = ", { on_error: net.busy, retry: { max: 2 } }";
    const file = `
workflow: { name: case, entry_point: both }
agents:
  - { name: one, type: script, command: one }
  - { name: two, type: script, command: two }
parallel:
  - { name: both, agents: [one, two], max_concurrent: 1, failure_mode: fail_fast, routes: [{ to: $end }${route}] }
${OUTPUT}
`;
    for (const [type, nth] of [["retry_scheduled", 1] as const, ["parallel_started", 2] as const]) {
      const edited = new Edited(file, byAttempt({ two: [busy] }));
      await edited.drive();
      edited.cutAfter(type, nth);
      expect(await edited.endsAsNew([route, ""])).toEqual([]);
    }
  });

  it("of a group is not made when the group was edited as well", async () => {
    const route = ", { on_error: net.busy, retry: { max: 1 } }";
    const file = `
workflow: { name: case, entry_point: each }
for_each:
  - { name: each, type: for_each, source: "[1]", as: x, max_concurrent: 1, failure_mode: fail_fast, agent: { name: call, type: script, command: call, args: ["{{ x }}"] }, routes: [{ to: $end }${route}] }
${OUTPUT}
`;
    const edited = new Edited(file, byAttempt({ call: [busy, "ok"] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    await edited.endsAsNew([route, ""], ["[1]", "[1, 2]"]);
  });

  it("of a sub-workflow is not made, also when it had begun again", async () => {
    const route = ", { on_error: net.busy, retry: { max: 1 } }";
    const files = {
      "main.yaml": `
workflow: { name: case, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end }${route}] }
${OUTPUT}
`,
      "child.yaml": `
workflow: { name: child, entry_point: work }
agents:
  - { name: work, type: script, command: work, raises: [net.busy], routes: [{ to: $end }] }
`,
    };
    for (const [type, nth] of [["retry_scheduled", 1] as const, ["subworkflow_started", 2] as const]) {
      const edited = new Edited(files, byAttempt({ work: [busy] }));
      await edited.drive();
      edited.cutAfter(type, nth);
      expect(await edited.endsAsNew([route, ""])).toEqual([]);
    }
  });

  it("of a sub-workflow that is another one after an edit is the first again, also after a crash", async () => {
    const files = {
      "main.yaml": `
workflow: { name: case, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, input_mapping: { v: "x" }, routes: [{ to: $end }, { on_error: net.busy, retry: { max: 1 } }] }
`,
      "child.yaml": `
workflow: { name: child, entry_point: work, input: { v: { type: string } } }
agents:
  - { name: work, type: script, command: work, raises: [net.busy], routes: [{ to: $end }] }
`,
    };
    const edited = new Edited(files, byAttempt({ work: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    await edited.endsAsNew([`v: "x"`, `v: "y"`]);
    edited.cutAfter("retry_scheduled");
    expect(await edited.endsAsNew()).toEqual(["call#1~3/work#1"]);
  });
});

it("a failure that failed the run after an edit is made again, whatever route it had taken before", async () => {
  const route = ", { on_error: net.busy, to: mend, retry: { max: 1 } }";
  const edited = new Edited(
    `
workflow: { name: case, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: $end }${route}] }
  - { name: mend, type: script, command: mend, routes: [{ to: work }] }
${OUTPUT}
`,
    byAttempt({ work: [busy] }),
  );
  await edited.drive();
  // The route is still there for other errors: a file has no step that nothing leads to.
  expect(await edited.endsAsNew([route, ", { on_error: net.gone, to: mend }"])).toEqual([]);
  expect(
    await edited.endsAsNew(
      ["on_error: net.gone, to: mend", "on_error: true, to: $end"],
      ["{ to: $end },", "{ to: mend, when: false }, { to: $end },"],
    ),
  ).toEqual(["work#1"]);
});
