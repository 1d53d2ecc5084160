// `when_open: wait`: calls wait until their breaker lets them through, and others go on meanwhile.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";

const BAD = raises("app.bad");

const breaker = (more = ""): string =>
  `resilience: { circuit_breaker: { scope: step, failure_threshold: 2, recovery_timeout: 60, success_threshold: 1, counts: [app.bad], when_open: wait${more} } }`;

const items = (count: number, atOnce: number, more = ""): string => `
workflow: { name: case, entry_point: each, ${breaker(more)} }
agents: []
for_each:
  - { name: each, type: for_each, source: "{{ [${Array.from({ length: count }, (_, at) => at).join(", ")}] }}", as: n, max_concurrent: ${atOnce}, failure_mode: continue_on_error, agent: { name: call, type: script, command: call, raises: [app.bad] }, routes: [{ to: $end }] }
output: { done: "{{ each.succeeded }}" }
`;

describe("a call whose breaker is open", () => {
  it("waits for the probe of another one, and all of a group's items are called once", async () => {
    const run = new MemoryRun(items(8, 2));
    const began = run.clock.now();
    const { output, ran, recorded } = await run.drive({ scripts: { call: [BAD, BAD, "ok"] } });
    expect(output).toEqual({ done: 6 });
    expect(ran).toHaveLength(8);
    expect(recorded("circuit_awaited")).toHaveLength(6);
    expect(recorded("circuit_passed")).toHaveLength(6);
    expect(recorded("agent_failed").map(({ kind }) => kind)).toEqual(["app.bad", "app.bad"]);
    expect((run.clock.now() - began) / 1000).toBe(60);
  });

  it("waits again when the probe fails, and fails with circuit.open after max_wait", async () => {
    const run = new MemoryRun(items(4, 1, ", max_wait: 100"));
    const began = run.clock.now();
    const { ran, recorded } = await run.drive({ scripts: { call: [BAD] } });
    expect(ran).toHaveLength(3);
    const failed = recorded("for_each_item_failed").map(({ error }) => error);
    expect(failed.map(({ kind }) => kind)).toEqual(["app.bad", "app.bad", "app.bad", "circuit.open"]);
    expect(failed.at(-1)).toMatchObject({
      message: expect.stringContaining("the call waited for it for 100 s (max_wait)"),
      details: { waited_seconds: 100, breaker: "step:case/call" },
    });
    expect((run.clock.now() - began) / 1000).toBe(100);
  });

  it("waits for a probe that takes its time, and asks no more than once a second", async () => {
    const run = new MemoryRun(items(8, 2));
    const began = run.clock.now();
    const { output } = await run.drive({ scripts: { call: [BAD, BAD, { seconds: 5 }] } });
    expect(output).toEqual({ done: 6 });
    expect((run.clock.now() - began) / 1000).toBeGreaterThanOrEqual(65);
  });

  it("is retried also while its breaker is open: the next attempt waits for it", async () => {
    const text = items(4, 1).replace("resilience: {", "resilience: { retry: { max: 3, on: [app.bad] },");
    const { output, ran } = await new MemoryRun(text).drive({ scripts: { call: [BAD, BAD, "ok"] } });
    expect(output).toEqual({ done: 4 });
    expect(ran).toHaveLength(6);
  });

  it("goes on waiting after a crash, no longer than it was to wait at first, as the same attempt", async () => {
    const run = new MemoryRun(items(3, 1, ", max_wait: 100"));
    await run.drive({ scripts: { call: [BAD] } });
    run.cutAfter("circuit_awaited");
    const until = run.journal.flatMap((event) => (event.type === "circuit_awaited" ? [event.data.until] : []));
    const { recorded } = await run.drive({ scripts: { call: ["ok"] } });
    expect(recorded("circuit_awaited").map((wait) => wait.until)).toEqual(until);
    expect(recorded("for_each_item_failed").map(({ error }) => [error.kind, error.attempts])).toContainEqual([
      "circuit.open",
      1,
    ]);
  });

  it("gives its place in the group to others, and the time limit of the workflow does not count its wait", async () => {
    const run = new MemoryRun({
      "main.yaml": `
workflow: { name: case, entry_point: each, limits: { timeout_seconds: 50 } }
agents: []
for_each:
  - { name: each, type: for_each, source: "{{ ['call', 'call', 'call', 'other'] }}", as: what, max_concurrent: 1, failure_mode: continue_on_error, agent: { name: w, type: workflow, workflow: child.yaml, input_mapping: { what: "{{ what }}" } }, routes: [{ to: $end }] }
output: { done: "{{ each.succeeded }}" }
`,
      "child.yaml": `
workflow: { name: child, entry_point: lead, input: { what: { type: string } }, ${breaker()} }
agents:
  - { name: lead, type: set, value: x, routes: [{ to: call, when: "{{ workflow.input.what == 'call' }}" }, { to: other }] }
  - { name: call, type: script, command: call, raises: [app.bad], routes: [{ to: $end }] }
  - { name: other, type: script, command: other, routes: [{ to: $end }] }
`,
    });
    const { output, ran } = await run.drive({ scripts: { call: [BAD, BAD, "ok"] } });
    expect(ran.map((key) => key.split("/").at(-1))).toEqual(["call#1", "call#1", "other#1", "call#1"]);
    expect(output).toEqual({ done: 2 });
  });

  it("ends its wait when the run is cancelled", async () => {
    const stop = new AbortController();
    const run = new MemoryRun(items(3, 1));
    const driving = run.drive({
      signal: stop.signal,
      scripts: { call: [BAD] },
      assertLease: () => {
        if (run.journal.some(({ type }) => type === "circuit_awaited")) stop.abort();
        return undefined;
      },
    });
    expect((await driving).end.type).toBe("cancelled");
  });
});
