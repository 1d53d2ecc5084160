// After an edit a resume comes to what a new run of the edited file comes to: attempts, retries and the context are counted alike.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";
import type { CachedOutcome } from "../outcome-cache.ts";

const busy = raises("net.busy");
const down = [raises("external.down")];

describe("a step that was edited", () => {
  const RETRIED = `
workflow: { name: case, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: last }, { on_error: net.busy, retry: { max: 1 } }, { on_error: true, to: mend }] }
  - { name: mend, type: script, command: mend, args: ["{{ error.attempts }}"], routes: [{ to: last }] }
  - { name: last, type: script, command: last, args: ["{{ context.iteration }}"], routes: [{ to: $end }] }
output: { history: "{{ context.history | join(' ') }}", mended: "{{ mend.output.stdout if mend is defined else '-' }}" }
`;
  const mend = [(_: unknown, [attempts]: readonly string[]) => `after ${attempts}`];

  it("has all its retries, and its attempts count from the first", async () => {
    const run = new MemoryRun(RETRIED);
    await run.drive({ scripts: { work: [busy, "a"], last: down } });
    run.edit("command: work", "command: work2");
    const { ran, output } = await run.drive({ scripts: { work: [busy, busy], mend } });
    expect(ran).toEqual(["work#1", "work#1", "mend#1", "last#1"]);
    expect(output).toEqual({ history: "work work mend last", mended: "after 2" });
  });

  it("has them too when a crash came between its retries, and in the resume after that", async () => {
    const run = new MemoryRun(RETRIED);
    await run.drive({ scripts: { work: [busy, "a"] } });
    run.cutAfter("retry_scheduled");
    run.edit("command: work", "command: work2");
    await run.drive({ scripts: { work: [busy, "a"] } });
    run.journal.length = run.journal.findLastIndex(({ type }) => type === "retry_scheduled") + 1;
    const { ran, output, recorded } = await run.drive({ scripts: { work: [busy], mend } });
    expect(ran).toEqual(["work#1", "mend#1", "last#1"]);
    expect(output).toEqual({ history: "work work mend last", mended: "after 2" });
    expect(recorded("agent_started")[0]).toMatchObject({ agent_name: "work", attempt: 2 });
  });

  it("in a group has its retries, and those of the group", async () => {
    const run = new MemoryRun(`
workflow: { name: case, entry_point: both }
agents:
  - { name: one, type: script, command: one }
  - { name: two, type: script, command: two }
  - { name: last, type: script, command: last, args: ["{{ context.iteration }}"], routes: [{ to: $end }] }
parallel:
  - { name: both, agents: [one, two], failure_mode: all_or_nothing, routes: [{ to: last }, { on_error: net.busy, retry: { max: 1 } }] }
output: { history: "{{ context.history | join(' ') }}" }
`);
    await run.drive({ scripts: { two: [busy, "a"], last: down } });
    run.edit("command: two", "command: two2");
    const { ran, output } = await run.drive({ scripts: { two: [busy, "b"] } });
    expect(ran).toEqual(["both#1~2.two", "both#1~3.two", "last#1"]);
    expect(output).toEqual({ history: "both both last" });
  });
});

describe("a step that had failed and was tried again", () => {
  it("is in the history once for each attempt, also when it is reused", async () => {
    const run = new MemoryRun(`
workflow: { name: case, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: turn }, { on_error: net.busy, retry: { max: 1 } }] }
  - { name: turn, type: script, command: turn, routes: [{ to: turn, when: "{{ context.history | length < 4 }}" }, { to: last }] }
  - { name: last, type: script, command: last, args: ["{{ context.history | join(' ') }}"], routes: [{ to: $end }] }
`);
    await run.drive({ scripts: { work: [busy, "a"], last: down } });
    expect((await run.drive({ scripts: { last: down } })).ran).toEqual(["last#1"]);
    run.edit("command: last", "command: last2");
    const { recorded } = await run.drive();
    expect(recorded("script_started")).toMatchObject([{ args: ["work work turn turn"] }]);
  });

  const OWN = `
workflow: { name: case, entry_point: work }
agents:
  - { name: work, type: script, command: work, args: ["{{ work.error.kind if work is defined else 'first' }}"], routes: [{ to: last }, { on_error: true, retry: { max: 2 } }] }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
`;

  it("is reused where it reads how it failed before", async () => {
    const run = new MemoryRun(OWN);
    await run.drive({ scripts: { work: [busy, "a"], last: down } });
    expect((await run.drive()).ran).toEqual(["last#1"]);
  });

  it("reads how it failed before a crash", async () => {
    const run = new MemoryRun(OWN);
    await run.drive({ scripts: { work: [busy, "a"] } });
    run.cutAfter("retry_scheduled");
    const { recorded } = await run.drive();
    expect(recorded("script_started")[0]).toMatchObject({ args: ["net.busy"] });
  });
});

describe("a failure that a route took after all retries", () => {
  it("is not made again when another route is written above", async () => {
    const run = new MemoryRun(`
workflow: { name: case, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: last }, { on_error: net.busy, retry: { max: 1 } }, { on_error: true, to: last }] }
  - { name: last, type: script, command: last, args: ["{{ work.error.attempts }}"], routes: [{ to: $end }] }
`);
    await run.drive({ scripts: { work: [busy], last: down } });
    run.edit("{ on_error: net.busy", "{ on_error: net.gone, halt: { message: gone } }, { on_error: net.busy");
    expect((await run.drive()).ran).toEqual(["last#1"]);
  });
});

describe("a group whose members are edited", () => {
  it("goes on counting its rounds for a member that stayed as it was", async () => {
    const run = new MemoryRun(`
workflow: { name: case, entry_point: both }
agents:
  - { name: one, type: script, command: one }
  - { name: two, type: script, command: two }
  - { name: three, type: script, command: three, routes: [{ to: $end }] }
parallel:
  - { name: both, agents: [one, two], max_concurrent: 1, failure_mode: fail_fast, routes: [{ to: $end }, { on_error: net.busy, retry: { max: 1 } }] }
output: { history: "{{ context.history | join(' ') }}" }
`);
    await run.drive({ scripts: { one: [busy, "a"] } });
    run.cutAfter("retry_scheduled");
    run.edit("agents: [one, two]", "agents: [one, two, three]");
    run.edit(", routes: [{ to: $end }] }\nparallel", " }\nparallel");
    const { ran, output } = await run.drive();
    expect(ran).toEqual(["both#1~2.one", "both#1~2.two", "both#1~2.three"]);
    expect(output).toEqual({ history: "both both" });
  });
});

it("a member counts its attempts from the first with --force", async () => {
  const run = new MemoryRun(`
workflow: { name: case, entry_point: both }
agents:
  - { name: one, type: script, command: one }
  - { name: two, type: script, command: two }
parallel:
  - { name: both, agents: [one, two], failure_mode: all_or_nothing, routes: [{ to: $end }, { on_error: net.busy, retry: { max: 1 } }] }
`);
  await run.drive({ scripts: { two: [busy, "a"] } });
  run.cutAfter("parallel_agent_completed", ({ agent_name }) => agent_name === "two");
  const { end } = await run.drive({ force: true, scripts: { two: [busy] } });
  expect(end).toMatchObject({ type: "raised", error: { raised_at: { attempt: 2 } } });
});

describe("a member that reads context.iteration", () => {
  const file = (routes: string) => `
workflow: { name: case, entry_point: both }
agents:
  - { name: one, type: script, command: one, args: ["{{ context.iteration }}"] }
  - { name: two, type: script, command: two, args: ["{{ context.iteration }}"] }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
parallel:
  - { name: both, agents: [one, two], failure_mode: all_or_nothing, routes: [{ to: last }, ${routes}] }
`;

  it("does not make its group run again whose error a route took", async () => {
    const run = new MemoryRun(file("{ on_error: true, to: last }"));
    await run.drive({ scripts: { two: [busy], last: down } });
    expect((await run.drive()).ran).toEqual(["last#1"]);
  });

  it("is reused when its group was retried for another one", async () => {
    const run = new MemoryRun(file("{ on_error: true, retry: { max: 1 } }"));
    await run.drive({ scripts: { two: [busy, "a"], last: down } });
    expect((await run.drive()).ran).toEqual(["last#1"]);
  });
});

it("a step that another run's outcome stood for counts in context.iteration, also in a resume", async () => {
  const outcome: CachedOutcome = { output: "kept", runId: "other" };
  const cache = { get: () => outcome, put: () => {} };
  const run = new MemoryRun(`
workflow: { name: case, entry_point: kept }
agents:
  - { name: kept, type: script, command: kept, cache: true, routes: [{ to: next }] }
  - { name: next, type: script, command: next, args: ["{{ context.iteration }}"], routes: [{ to: last }] }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
`);
  await run.drive({ cache, scripts: { last: down } });
  expect((await run.drive({ cache })).ran).toEqual(["last#1"]);
});

describe("context.iteration and max_iterations after an edit", () => {
  const TURNS = `
workflow: { name: case, entry_point: work, limits: { max_iterations: 6 } }
agents:
  - { name: work, type: script, command: work, routes: [{ to: last, when: "{{ context.iteration >= 4 }}" }, { to: work }] }
  - { name: last, type: script, command: last, args: ["{{ context.iteration }}"], routes: [{ to: $end }] }
`;
  const LOOPED = ["work#1", "work#2", "work#3", "work#4", "last#1"];

  it("do not count what the edited steps had done before, however often they were edited", async () => {
    const run = new MemoryRun(TURNS);
    const fails = { scripts: { last: down } };
    expect((await run.drive(fails)).ran).toEqual(LOOPED);
    for (const command of ["work2", "work3"]) {
      run.edit("command: work", `command: ${command}`);
      expect((await run.drive(fails)).ran).toEqual(LOOPED);
    }
    const { ran, end } = await run.drive();
    expect([ran, end.type]).toEqual([["last#1"], "completed"]);
  });

  it("leave what comes after an edited step as it was, also one that had failed and was retried", async () => {
    const run = new MemoryRun(`
workflow: { name: case, entry_point: first }
agents:
  - { name: first, type: script, command: first, routes: [{ to: next }, { on_error: true, retry: { max: 2 } }] }
  - { name: next, type: script, command: next, args: ["{{ context.iteration }}"], routes: [{ to: last }] }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
`);
    await run.drive({ scripts: { first: [busy, "a"], last: down } });
    run.edit("command: first", "command: first2");
    expect((await run.drive({ scripts: { last: down } })).ran).toEqual(["first#1", "next#1", "last#1"]);
    run.edit("command: first2", "command: first3");
    expect((await run.drive({ scripts: { last: down } })).ran).toEqual(["first#1", "last#1"]);
    expect((await run.drive()).ran).toEqual(["last#1"]);
  });

  it("count a group once for each of its rounds, however often it was entered", async () => {
    const run = new MemoryRun(`
workflow: { name: case, entry_point: both, limits: { max_iterations: 30 } }
agents:
  - { name: one, type: script, command: one }
  - { name: two, type: script, command: two }
  - { name: next, type: script, command: next, args: ["{{ context.iteration }}"], routes: [{ to: last }] }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
parallel:
  - { name: both, agents: [one, two], failure_mode: all_or_nothing, routes: [{ to: next }, { on_error: true, retry: { max: 2 } }] }
`);
    await run.drive({ scripts: { one: [busy, "a"], last: down } });
    for (const command of ["two2", "two3"]) {
      run.edit("command: two", `command: ${command}`);
      expect((await run.drive({ scripts: { last: down } })).ran).not.toContain("next#1");
    }
    expect((await run.drive()).ran).toEqual(["last#1"]);
  });
});

describe("a sub-workflow that was edited", () => {
  it("runs its on_complete again only when some of it ran again", async () => {
    const run = new MemoryRun({
      "main.yaml": `
workflow: { name: main, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: last }] }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
`,
      "child.yaml": `
workflow: { name: child, entry_point: one, hooks: { on_start: began, on_complete: "with {{ one.output.stdout }}" } }
agents:
  - { name: one, type: script, command: one, routes: [{ to: $end }] }
`,
    });
    const hooksOf = async (one: string) =>
      (await run.drive({ scripts: { one: [one], one2: [one], last: down } }))
        .recorded("hook_ran")
        .map(({ text }) => text);
    expect(await hooksOf("a")).toEqual(["began", "with a"]);
    expect(await hooksOf("b")).toEqual([]);
    run.edit("command: one", "command: one2", "child.yaml");
    expect(await hooksOf("c")).toEqual(["with c"]);
    expect(await hooksOf("d")).toEqual([]);
  });
});
