// Groups are edited, or cut off, between two rounds: the resume comes to what a new run of the file comes to.
import { describe, expect, it } from "vitest";
import { raises } from "../support/engine/scripted-world.ts";
import { byAttempt, Edited, OUTPUT } from "./edited.ts";

const busy = raises("net.busy");
const gone = raises("net.gone");
const bad = raises("data.bad");

describe("a group that was to be retried, and would not fail any more", () => {
  const both = (mode: string, more = "") => `
workflow: { name: case, entry_point: both }
agents:
  - { name: one, type: script, command: one }
  - { name: two, type: script, command: two${more} }
parallel:
  - { name: both, agents: [one, two], max_concurrent: 1, failure_mode: ${mode}, routes: [{ to: $end }, { on_error: true, retry: { max: 1 } }] }
${OUTPUT}
`;

  it.each(["retry_scheduled", "parallel_completed"] as const)(
    "counts once in context.iteration when its failure_mode is edited, cut off after %s",
    async (type) => {
      const edited = new Edited(both("all_or_nothing"), byAttempt({ two: [busy] }));
      await edited.drive();
      edited.cutAfter(type);
      expect(await edited.endsAsNew(["all_or_nothing", "continue_on_error"])).not.toContain("both#1.one");
    },
  );

  it("counts once when an item is added that goes well", async () => {
    const edited = new Edited(
      `
workflow: { name: case, entry_point: each }
for_each:
  - { name: each, type: for_each, source: "[1]", as: x, max_concurrent: 1, failure_mode: continue_on_error, agent: { name: call, type: script, command: call, args: ["{{ x }}"] }, routes: [{ to: $end }, { on_error: true, retry: { max: 1 } }] }
${OUTPUT}
`,
      { call: [(_, [x]) => (x === "1" ? busy : "ok")] },
    );
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    await edited.endsAsNew(["[1]", "[1, 2]"]);
  });

  it("counts once when the member that failed it is edited, and another one failed too", async () => {
    const edited = new Edited(both("continue_on_error"), {
      one: [(_, args) => (args.includes("fixed") ? "ok" : gone)],
      two: [bad],
    });
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    await edited.endsAsNew(["command: one", "command: one, args: [fixed]"]);
  });

  it("counts once when an item gets a route that takes its error", async () => {
    const edited = new Edited(
      `
workflow: { name: case, entry_point: each }
for_each:
  - { name: each, type: for_each, source: "[1, 2]", as: x, max_concurrent: 1, failure_mode: fail_fast, agent: { name: call, type: script, command: call }, routes: [{ to: $end }, { on_error: true, retry: { max: 1 } }] }
${OUTPUT}
`,
      byAttempt({ call: [busy, "ok"] }),
    );
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    await edited.endsAsNew(["command: call", "command: call, routes: [{ on_error: net.busy, retry: { max: 1 } }]"]);
  });

  it("is not retried when a member before the one that failed is edited, and fails otherwise", async () => {
    const edited = new Edited(both("fail_fast").replace("on_error: true", "on_error: net.busy"), {
      one: [(_, args) => (args.includes("worse") ? gone : "ok")],
      two: [busy],
    });
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    await edited.endsAsNew(["command: one", "command: one, args: [worse]"]);
  });

  it("reads the routes of its members again", async () => {
    const edited = new Edited(both("fail_fast"), byAttempt({ two: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    const route = ", routes: [{ on_error: net.busy, retry: { max: 1 } }]";
    await edited.endsAsNew(["command: two", `command: two${route}`]);
  });

  it("ends the run when a member gets a route that halts it", async () => {
    const edited = new Edited(both("fail_fast"), byAttempt({ two: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    const route = ", routes: [{ on_error: net.busy, halt: { message: stop } }]";
    await edited.endsAsNew(["command: two", `command: two${route}`]);
  });

  it("counts the attempts of its members from the first, also where its second round had begun", async () => {
    const route = ", routes: [{ on_error: net.busy, retry: { max: 1 } }]";
    const edited = new Edited(both("fail_fast", route), byAttempt({ two: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled", 3);
    await edited.endsAsNew(["command: one", "command: one, args: [other]"]);
  });

  it("goes on with its rounds where it would fail all the same", async () => {
    const edited = new Edited(both("all_or_nothing"), byAttempt({ two: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled");
    expect(await edited.endsAsNew(["all_or_nothing", "fail_fast"])).toEqual(["both#1~2.two"]);
  });
});

it("a member that its group went on without is retried when it gets a route that says so", async () => {
  const edited = new Edited(
    `
workflow: { name: case, entry_point: both }
agents:
  - { name: one, type: script, command: one }
  - { name: two, type: script, command: two }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
parallel:
  - { name: both, agents: [one, two], max_concurrent: 1, failure_mode: continue_on_error, routes: [{ to: last }] }
${OUTPUT}
`,
    byAttempt({ two: [busy, "ok"], last: [gone] }),
  );
  await edited.drive();
  const route = ", routes: [{ on_error: net.busy, retry: { max: 1 } }]";
  expect(await edited.endsAsNew(["command: two", `command: two${route}`])).toEqual(["both#1.two", "last#1"]);
});

describe("a member that was retried by way of another step", () => {
  const file = (max: number, more = "") => `
workflow: { name: case, entry_point: both${more} }
agents:
  - { name: one, type: script, command: one }
  - { name: two, type: script, command: two, routes: [{ on_error: net.busy, to: mend, retry: { max: 1 } }] }
  - { name: mend, type: script, command: mend }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
parallel:
  - { name: both, agents: [one, two], max_concurrent: 1, failure_mode: fail_fast, routes: [{ to: last }, { on_error: true, retry: { max: ${max} } }] }
`;

  it("has the attempts of all its passes in the next round, and no more of these retries", async () => {
    const edited = new Edited(file(1), byAttempt({ two: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled", 2);
    expect(await edited.endsAsNew()).toEqual(["both#1~2.two"]);
  });

  it("counts for max_iterations with what ran in its place", async () => {
    const edited = new Edited(file(3, ", limits: { max_iterations: 5 }"), byAttempt({ two: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled", 2);
    expect(await edited.endsAsNew()).toEqual(["both#1~2.two"]);
  });

  it("counts with what ran in the place of each of its passes", async () => {
    const twice = file(3, ", limits: { max_iterations: 7 }").replace("retry: { max: 1 }", "retry: { max: 2 }");
    const edited = new Edited(twice, byAttempt({ two: [busy] }));
    await edited.drive();
    edited.cutAfter("retry_scheduled", 3);
    expect(await edited.endsAsNew()).toEqual(["both#1~2.two"]);
  });

  it("counts its attempts from the first when the run failed", async () => {
    const edited = new Edited(file(1), byAttempt({ two: [busy] }));
    await edited.drive();
    await edited.endsAsNew();
  });

  it("has used that retry where its group is not entered again", async () => {
    const edited = new Edited(
      `
workflow: { name: case, entry_point: both }
agents:
  - { name: one, type: script, command: one, routes: [{ on_error: net.busy, to: mend, retry: { max: 1 } }] }
  - { name: two, type: script, command: two }
  - { name: mend, type: script, command: mend }
  - { name: back, type: script, command: back, routes: [{ to: both }] }
parallel:
  - { name: both, agents: [one, two], max_concurrent: 1, failure_mode: fail_fast, routes: [{ to: $end }, { on_error: net.gone, to: back, retry: { max: 1 } }] }
`,
      byAttempt({ one: [busy, "ok"], two: [gone] }),
    );
    await edited.drive();
    expect(await edited.endsAsNew()).toEqual(["both#2.one"]);
  });
});
