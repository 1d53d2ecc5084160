// How far a run may go: the visits of a step, or all step executions, by what the file says.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";

const loop = (limits = "", list = "steps"): string => `
workflow: { name: case, entry_point: fix${limits && `, limits: { ${limits} }`} }
${list}:
  - { name: fix, type: script, command: fix, routes: [{ to: check }] }
  - { name: check, type: script, command: check, routes: [{ to: $end, when: "{{ output.stdout == 'ok' }}" }, { to: fix }] }
`;
const NEVER = { check: ["no"] };

describe("a loop that does not end", () => {
  it("is stopped when a step was visited 25 times, and is named", async () => {
    const { end, ran, recorded } = await new MemoryRun(loop()).drive({ scripts: NEVER });
    expect(ran).toHaveLength(50);
    expect(end).toMatchObject({
      type: "limit",
      errorType: "MaxVisitsError",
      node: "fix",
      message:
        "fix → check → fix is a loop that did not end: fix ran 25 times, check 25 times. limits.max_visits allows 25 visits of a step, and fix would be visited once more",
    });
    expect(recorded("iteration_limit_reached")).toMatchObject([
      {
        max_visits: 25,
        visits: 25,
        loop: [
          { node: "fix", ran: 25 },
          { node: "check", ran: 25 },
        ],
      },
    ]);
  });

  it.each([
    ["as often as the file says", loop("max_visits: 3"), 6, "MaxVisitsError"],
    ["by the number of all executions, where that is written", loop("max_iterations: 9"), 9, "MaxIterationsError"],
    ["by that alone, where both are written", loop("max_iterations: 60, max_visits: 3"), 60, "MaxIterationsError"],
    ["after 10 executions in a file with agents", loop("", "agents"), 10, "MaxIterationsError"],
    ["by the visits in such a file, if it says so", loop("max_visits: 8", "agents"), 16, "MaxVisitsError"],
  ])("is stopped %s", async (_, file, executions, errorType) => {
    const { end, ran } = await new MemoryRun(file).drive({ scripts: NEVER });
    expect(ran).toHaveLength(executions);
    expect(end).toMatchObject({ type: "limit", errorType });
  });

  it("names the loop and how often each step ran, also at max_iterations", async () => {
    const { end } = await new MemoryRun(loop("max_iterations: 9")).drive({ scripts: NEVER });
    expect(end).toMatchObject({
      message:
        "check → fix → check is a loop that did not end: check ran 4 times, fix 5 times. It used up max_iterations: 9 step executions, and check would be the next",
    });
  });

  it("goes on when a person allows more", async () => {
    let rounds = 0;
    const { end, recorded } = await new MemoryRun(loop()).drive({
      allowMore: 5,
      scripts: { check: [() => (++rounds === 28 ? "ok" : "no")] },
    });
    expect(end.type).toBe("completed");
    expect(recorded("iteration_limit_resolved")).toEqual([{ additional_iterations: 5, limit: "max_visits" }]);
  });
});

describe("a visit", () => {
  it("is none of many steps in a row", async () => {
    const steps = Array.from(
      { length: 60 },
      (_, index) =>
        `  - { name: s${index}, type: set, value: ${index}, routes: [{ to: ${index < 59 ? `s${index + 1}` : "$end"} }] }`,
    );
    const { end } = await new MemoryRun(
      `workflow: { name: case, entry_point: s0 }\nsteps:\n${steps.join("\n")}\n`,
    ).drive();
    expect(end.type).toBe("completed");
  });

  it("is neither a retry nor an item of a group", async () => {
    const file = `
workflow: { name: case, entry_point: each, limits: { max_visits: 1 } }
steps:
  - { name: after, type: script, command: after, routes: [{ to: $end }, { on_error: app.bad, retry: { max: 40, initial_seconds: 0 } }] }
for_each:
  - { name: each, type: for_each, source: "{{ range(40) | list }}", as: n, agent: { name: work, type: script, command: work }, routes: [{ to: after }] }
`;
    const { end, ran } = await new MemoryRun(file).drive({
      scripts: { after: [...Array.from({ length: 35 }, () => raises("app.bad")), "ok"] },
    });
    expect(end.type).toBe("completed");
    expect(ran).toHaveLength(40 + 36);
  });

  it("is no retry by way of another step, of either step", async () => {
    const file = `
workflow: { name: case, entry_point: tag, limits: { max_visits: 2 } }
steps:
  - { name: tag, type: script, command: tag, routes: [{ to: $end }, { on_error: app.drift, retry: { max: 20, initial_seconds: 0 }, to: rebase }] }
  - { name: rebase, type: script, command: rebase, routes: [{ to: tag }] }
`;
    const { end, ran } = await new MemoryRun(file).drive({
      scripts: { tag: [...Array.from({ length: 15 }, () => raises("app.drift")), "ok"] },
    });
    expect(end.type).toBe("completed");
    expect(ran).toHaveLength(16 + 15);
  });

  it("of a terminate step is allowed at the limit: it is the end", async () => {
    const file = `
workflow: { name: case, entry_point: a, limits: { max_iterations: 1 } }
steps:
  - { name: a, type: set, value: 1, routes: [{ to: stop }] }
  - { name: stop, type: terminate, status: success, reason: done }
`;
    expect((await new MemoryRun(file).drive()).end).toMatchObject({ type: "terminated" });
  });

  it("counts for each call of a sub-workflow by itself, by the limits of its own file", async () => {
    const file = `
workflow: { name: case, entry_point: call, limits: { max_visits: 4 } }
steps:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end, when: "{{ context.iteration >= 3 }}" }, { to: call }] }
`;
    let rounds = 0;
    const run = new MemoryRun({
      "main.yaml": file,
      "child.yaml": loop("max_visits: 5").replace("name: case", "name: child"),
    });
    const { end } = await run.drive({ scripts: { check: [() => (++rounds % 5 === 0 ? "ok" : "no")] } });
    expect(end.type).toBe("completed");
    const endless = new MemoryRun({
      "main.yaml": file,
      "child.yaml": loop("max_visits: 5").replace("name: case", "name: child"),
    });
    expect((await endless.drive({ scripts: NEVER })).end).toMatchObject({
      type: "raised",
      error: {
        kind: "subworkflow.failed",
        message: expect.stringMatching(/fix → check → fix is a loop.*Raise limits.max_visits in .*child.yaml/),
      },
    });
  });
});
