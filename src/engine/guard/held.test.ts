// Errors inside groups and sub-workflows: they are escalated or kept when nobody above takes them, and not before.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";

const KEEPS = "resilience: { dead_letter: true, retry: { max_retries: 0, retryable: [app.bad] } }";
const BAD = raises("app.bad");

const both = (routes: string, more = ""): string => `
workflow: { name: case, entry_point: both, ${KEEPS}${more} }
agents:
  - { name: one, type: script, command: one }
  - { name: two, type: script, command: two }
  - { name: cope, type: script, command: cope, routes: [{ to: $end }] }
parallel:
  - { name: both, agents: [one, two], failure_mode: continue_on_error, routes: [${routes}] }
`;

const nested = (routes: string, resilience = KEEPS): Record<string, string> => ({
  "main.yaml": `
workflow: { name: case, entry_point: call, ${resilience} }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [${routes}] }
  - { name: cope, type: script, command: cope, routes: [{ to: $end }] }
`,
  "child.yaml": `
workflow: { name: child, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: $end }] }
`,
});

const kept = ({ governance }: MemoryRun): readonly string[] => governance.letterBodies.map(({ place }) => place);

describe("a member's error", () => {
  it.each([
    ["the group's route", both("{ to: $end }, { on_error: app.bad, to: cope }")],
    ["the workflow's error_routes", both("{ to: $end }", ", error_routes: [{ on_error: app.bad, to: cope }]")],
  ])("is kept also when %s takes the error with which the group fails", async (_, file) => {
    const run = new MemoryRun(file);
    const { end } = await run.drive({ scripts: { one: [BAD], two: [BAD] } });
    expect(end.type).toBe("completed");
    expect(kept(run)).toEqual(["both#1.one", "both#1.two"]);
    // The next drive finds them kept, and the group's error handled.
    await run.drive({ scripts: {} });
    expect(kept(run)).toHaveLength(2);
  });

  it("is kept when the group's error halts the run, or is taken by a caller of the group's workflow", async () => {
    const halted = new MemoryRun(both("{ to: $end }, { on_error: app.bad, halt: no }"));
    await halted.drive({ scripts: { one: [BAD], two: [BAD] } });
    expect(kept(halted)).toEqual(["both#1.one", "both#1.two"]);
    const called = new MemoryRun({
      ...nested("{ to: $end }, { on_error: app.bad, to: cope }"),
      "child.yaml": both("{ to: $end }").replace("to: $end }]}", "to: $end }]"),
    });
    await called.drive({ scripts: { one: [BAD], two: [BAD] } });
    expect(kept(called)).toEqual(["call#1/both#1.one", "call#1/both#1.two"]);
  });

  it("is not kept when its own route takes it, and settles the letter that was kept before", async () => {
    const file = both("{ to: $end }").replace(
      "command: two }",
      "command: two, routes: [{ on_error: app.bad, to: cope }] }",
    );
    const run = new MemoryRun(both("{ to: $end }"));
    await run.drive({ scripts: { one: [BAD], two: [BAD] } });
    run.edit("command: two }", "command: two, routes: [{ on_error: app.bad, to: cope }] }");
    expect(run.governance.open.size).toBe(2);
    const { recorded } = await run.drive({ scripts: { two: [BAD] } });
    expect(recorded("dead_letter_resolved").map(({ node }) => node)).toEqual(["one", "two"]);
    expect(run.governance.open.size).toBe(0);
    expect(kept(new MemoryRun(file))).toEqual([]);
  });

  it("is added to its letter when a retry fails with a kind that would not be kept", async () => {
    const run = new MemoryRun(both("{ to: $end }"));
    await run.drive({ scripts: { one: [BAD], two: [BAD] } });
    run.governance.letterBodies.length = 0;
    await run.drive({ scripts: { one: [raises("app.other")], two: [BAD] } });
    expect(run.governance.letterBodies.map(({ place, kind }) => [place, kind])).toEqual([
      ["both#1.one", "app.other"],
      ["both#1.two", "app.bad"],
    ]);
  });

  it("is not kept when a retry of the group gets over it", async () => {
    const run = new MemoryRun(both("{ to: $end }, { on_error: app.bad, retry: 1 }"));
    await run.drive({ scripts: { one: [BAD, "ok"], two: [BAD, "ok"] } });
    expect(kept(run)).toEqual([]);
  });

  it("is kept when the group's error ends the run, and each of the others too", async () => {
    const run = new MemoryRun(both("{ to: $end }, { on_error: other.kind, to: cope }"));
    await run.drive({ scripts: { one: [BAD], two: [BAD] } });
    expect(kept(run)).toEqual(["both#1.one", "both#1.two"]);
  });

  it("is kept when the group goes on without it", async () => {
    const run = new MemoryRun(both("{ to: $end }, { on_error: true, to: cope }"));
    const { events } = await run.drive({ scripts: { one: [BAD] } });
    expect(kept(run)).toEqual(["both#1.one"]);
    const types = events.map(({ type }) => type);
    expect(types.indexOf("dead_lettered")).toBeLessThan(types.indexOf("parallel_completed"));
  });

  it("is kept once, though a crash came before the run had ended with it", async () => {
    const run = new MemoryRun(both("{ to: $end }"));
    await run.drive({ scripts: { one: [BAD], two: [BAD] } });
    run.cutAfter("dead_lettered");
    await run.drive({ scripts: {} });
    expect(kept(run)).toEqual(["both#1.one", "both#1.two", "both#1.two"]);
  });
});

describe("a child without resilience", () => {
  it("has its caller's, and keeps what nobody took, where it was raised", async () => {
    const run = new MemoryRun(nested("{ to: $end }, { on_error: other.kind, to: cope }"));
    await run.drive({ scripts: { work: [BAD] } });
    expect(kept(run)).toEqual(["call#1/work#1"]);
  });

  it("keeps nothing that its caller's route took", async () => {
    const run = new MemoryRun(nested("{ to: $end }, { on_error: app.bad, to: cope }"));
    await run.drive({ scripts: { work: [BAD] } });
    expect(kept(run)).toEqual([]);
  });

  it("retries by its caller's policy, and its caller does not retry once more", async () => {
    const retries = "resilience: { retry: { max_retries: 2, initial_delay: 1, jitter: 0, retryable: [app.bad] } }";
    const run = new MemoryRun(nested("{ to: $end }", retries));
    const { ran, recorded } = await run.drive({ scripts: { work: [BAD] } });
    expect(ran).toHaveLength(3);
    expect(recorded("retry_scheduled").map(({ node }) => node)).toEqual(["work", "work"]);
  });

  it("is not opted in by it", async () => {
    const run = new MemoryRun(nested("{ to: $end }"));
    expect((await run.drive({ scripts: { work: [{ exitCode: 1 }] } })).end.type).toBe("completed");
  });

  it("is held back by its caller's breaker", async () => {
    const breaker = "resilience: { circuit_breaker: { scope: step, failure_threshold: 2, counts: [app.bad] } }";
    const run = new MemoryRun(
      nested(
        "{ to: $end }, { on_error: circuit.open, to: cope }, { on_error: true, retry: { max: 9, initial_seconds: 0 } }",
        breaker,
      ),
    );
    const { ran } = await run.drive({ scripts: { work: [BAD] } });
    expect(ran.filter((key) => key.endsWith("work#1"))).toHaveLength(2);
  });
});

it("keeps what a route sent up and nobody took", async () => {
  const run = new MemoryRun({
    ...nested("{ to: $end }"),
    "child.yaml": `
workflow: { name: child, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: $end }, { on_error: app.bad, propagate: true }] }
`,
  });
  await run.drive({ scripts: { work: [BAD] } });
  expect(kept(run)).toEqual(["call#1/work#1"]);
});
